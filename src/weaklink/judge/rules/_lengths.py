"""How long episodes last: where that changes at once, without a policy that could have changed as fast."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array
from weaklink.base.stats import level

# rows before and after: a row or two may be chance
FEWEST = 5

# of the length that episodes had in the row before, and steps: so short are episodes that are over as they begin
OF_BEFORE, SHORT = 0.2, 10.0

# of their length: what differs by no more is not decided by what a policy does
ALIKE = 0.1


def find_sudden_end(run: Run) -> int | None:
    """The row from which episodes are over after a few steps and paid no better, where two rows before they were long.

    The row between has episodes of both kinds.
    """
    lengths, returns = run.get("task.episode_length"), run.get("reward.episode_return")
    if lengths is None or returns is None or len(lengths) <= 2 * FEWEST:
        return None
    values = lengths.values
    long = np.flatnonzero(values > SHORT)
    first = int(long[-1]) + 1 if len(long) else 0
    if not FEWEST < first <= len(values) - FEWEST:
        return None
    left, before = level(values[first:]), float(values[first - 1 - FEWEST : first - 1].min())
    same = float(np.abs(values[first:] - left).max()) <= ALIKE * left
    earlier, later = (returns.values[part] for part in _split_at(returns.steps, float(lengths.steps[first])))
    if min(len(earlier), len(later)) < FEWEST or level(later) > level(earlier[-FEWEST:]):
        return None
    return first if same and left < OF_BEFORE * before else None


def _split_at(steps: Array, step: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which rows come before a step, and which at it and after."""
    return steps < step, steps >= step
