"""Where a curve changes its level for good."""

from __future__ import annotations

from math import log

import numpy as np

from weaklink.base.stats.level import Array, block_means, noise

MOST_BLOCKS = 256


def change_points(values: Array, *, penalty: float = 5.0, fewest: int = 3) -> list[int]:
    """Indices at which the mean jumps: an optimal split by pruned dynamic programming (PELT, Killick et al. 2012).

    The cost of a piece is its squared deviation from its own mean in units of the curve's noise; each further piece
    must save more than `penalty` times log(n).
    """
    coarse = block_means(values, MOST_BLOCKS)
    count = len(coarse)
    scatter = noise(coarse)
    if count < 2 * fewest:
        return []
    scale = scatter if scatter > 0 else float(coarse.std()) * 1e-6
    if scale <= 0:
        return []
    scaled = (coarse - coarse.mean()) / scale
    sums = np.concatenate(([0.0], np.cumsum(scaled)))
    squares = np.concatenate(([0.0], np.cumsum(scaled**2)))
    last = _best_splits(sums, squares, penalty * log(count), fewest)
    found: list[int] = []
    at = last[count]
    while at > 0:
        found.append(int(at))
        at = last[at]
    return [(split * len(values)) // count for split in reversed(found)]


def _best_splits(sums: Array, squares: Array, price: float, fewest: int) -> list[int]:
    """For each prefix, where the last piece of its cheapest split begins."""
    count = len(sums) - 1
    cheapest = np.full(count + 1, np.inf)
    cheapest[0] = -price
    last = [0] * (count + 1)
    candidates = np.array([0])
    for end in range(fewest, count + 1):
        sizes = end - candidates
        inside = squares[end] - squares[candidates] - (sums[end] - sums[candidates]) ** 2 / sizes
        total = cheapest[candidates] + inside + price
        usable = sizes >= fewest
        best = int(np.argmin(np.where(usable, total, np.inf)))
        cheapest[end], last[end] = total[best], int(candidates[best])
        alive = (cheapest[candidates] + inside <= cheapest[end]) | ~usable
        candidates = np.append(candidates[alive], end - fewest + 1)
    return last
