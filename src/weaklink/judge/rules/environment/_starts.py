"""First observations: whether all episodes start the same."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey

SEEDS_MAKE_NO_DIFFERENCE = "random number generators are not different"  # part of a message of Gymnasium's checker


def starts_are_alike(survey: Survey) -> bool:
    """Whether resets with different seeds all gave the same first observation."""
    resets = survey.resets
    return resets is not None and len(resets.seeded) > 1 and not rows_vary(resets.seeded)


def rows_vary(rows: Array) -> bool:
    """Whether the rows are not all equal; NaN equals NaN."""
    return len(rows) > 1 and not bool(np.all((rows == rows[0]) | (np.isnan(rows) & np.isnan(rows[0]))))
