"""Fewer values that say the same of their mean."""

from __future__ import annotations

from weaklink.base.stats.level import Array, block_means

MOST = 1000


def condense(values: Array, most: int = MOST) -> Array:
    """Independent values as means of blocks of one size, at most so many: their mean scatters as before.

    Resampling costs in proportion to the number of values, and a thousand are enough for an interval.
    """
    size = -(-len(values) // most)
    return values if size <= 1 else block_means(values, len(values) // size)
