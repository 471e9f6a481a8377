"""Whether a trick pays."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.samples import Samples

# rows on each side that a comparison of rewards needs
FEWEST = 5


def compare_pay(rows: Samples, mark: str) -> float | None:
    """By how much the mean reward of marked rows exceeds that of the others, or of a row without reward; None unknown.

    Where nearly all rows are marked, what they get is compared with the lowest reward.
    """
    if "reward" not in rows:
        return None
    known = np.isfinite(rows["reward"]) & np.isfinite(rows[mark])
    reward, marked = rows["reward"][known], rows[mark][known] == 1.0
    if marked.sum() < FEWEST:
        return None
    others = float(reward[~marked].mean()) if (~marked).sum() >= FEWEST else float(reward.min())
    return float(reward[marked].mean()) - others
