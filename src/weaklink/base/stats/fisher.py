"""Fisher's exact test: whether one group has more of something than chance would give it."""

from __future__ import annotations

from math import lgamma

import numpy as np


def compute_fisher_tail(hits: int, drawn: int, marked: int, total: int) -> float:
    """The chance that at least `hits` of `drawn` items are marked, where `marked` of all `total` are.

    This is the one-sided p-value of the table with `hits` of `drawn` in the one group and the other marked items among
    the rest, given its margins.
    """
    most = min(drawn, marked)
    if hits <= max(0, drawn + marked - total):
        return 1.0
    if hits > most:
        return 0.0
    counts = range(hits, most + 1)
    whole = _log_choose(total, drawn)
    logs = np.array([_log_choose(marked, n) + _log_choose(total - marked, drawn - n) - whole for n in counts])
    top = float(logs.max())
    return min(1.0, float(np.exp(logs - top).sum() * np.exp(top)))


def _log_choose(total: int, drawn: int) -> float:
    return lgamma(total + 1) - lgamma(drawn + 1) - lgamma(total - drawn + 1)
