"""Whether a curve swings wildly, beyond the scatter that it had from the start."""

from __future__ import annotations

import msgspec
import numpy as np

from weaklink.base.stats.level import Array, level


class Swings(msgspec.Struct, frozen=True):
    """Large reversals of a curve: how many, how large in its own units, and where the first one began."""

    count: int
    size: float
    start: int


def count_swings(values: Array, size: float) -> Swings:
    """Counts reversals larger than `size`: the curve must turn and travel at least that far before it counts.

    Small wiggles inside a larger move are passed over, as a trader's zigzag passes over them.
    """
    turns: list[int] = [0]
    direction = 0
    extreme = 0
    for index in range(1, len(values)):
        move = values[index] - values[extreme]
        if (direction >= 0 and move > 0) or (direction <= 0 and move < 0):
            if direction == 0:
                direction = 1 if move > 0 else -1
            extreme = index
        elif abs(move) > size:
            turns.append(extreme)
            direction = 1 if move > 0 else -1
            extreme = index
    turns.append(extreme)
    legs = np.abs(np.diff(values[turns]))
    reversals = np.flatnonzero((legs[:-1] > size) & (legs[1:] > size))
    if not len(reversals):
        return Swings(0, 0.0, 0)
    return Swings(len(reversals), level(legs[legs > size]), turns[int(reversals[0]) + 1])
