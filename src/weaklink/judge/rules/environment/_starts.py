"""First observations: whether episodes begin alike."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey

SEEDS_MAKE_NO_DIFFERENCE = "random number generators are not different"
"""Words of Gymnasium's checker."""


def starts_are_alike(survey: Survey) -> bool:
    """Whether resets under different seeds gave one and the same first observation."""
    resets = survey.resets
    return resets is not None and len(resets.seeded) > 1 and not rows_vary(resets.seeded)


def rows_vary(rows: Array) -> bool:
    """Whether not all rows are the same; NaN is the same as NaN."""
    return len(rows) > 1 and not bool(np.all((rows == rows[0]) | (np.isnan(rows) & np.isnan(rows[0]))))
