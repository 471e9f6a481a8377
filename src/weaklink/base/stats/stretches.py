"""The stretches of a short curve, each about one level, and the scatter that is left within them."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from weaklink.base.stats.level import Array, level

# more levels than this are no levels but a slope or noise
MOST = 6

# points of a stretch: one alone is an outlier
FEWEST = 2

# a further stretch must pay: twice the price of the Bayesian information criterion for a level and a place
PRICE = 3.0

# times the median step: a jump says nothing of how points lean on each other
OUTLYING = 3.0

# a correlation of neighbours beyond this cannot be told from a slope; and no more than three neighbours are averaged
MOST_LINKED, AVERAGED = 0.8, 3


def split_stretches(values: Array) -> list[int]:
    """Where each new level of a short curve begins: the split by least squares that best pays for its stretches.

    The noise need not be known. It costs the square of the number of points, so it is for block means.
    """
    cost, last = _list_splits(values)
    count = len(values)
    floor = 1e-12 * float(cost[1, count]) + 1e-300
    scores = [
        count * log(max(float(cost[pieces, count]), floor)) + PRICE * pieces * log(count)
        for pieces in range(1, len(cost))
    ]
    end, starts = count, []
    for pieces in range(int(np.argmin(scores)) + 1, 1, -1):
        end = int(last[pieces, end])
        starts.append(end)
    return starts[::-1]


def scatter_within(values: Array) -> float:
    """The scatter of points around the level of their stretch, so that a change of level does not count as noise."""
    if len(values) < 2 * FEWEST:
        return float(values.std()) if len(values) else 0.0
    pieces = np.split(values, split_stretches(values))
    left = sum(float(((piece - piece.mean()) ** 2).sum()) for piece in pieces)
    return sqrt(left / max(len(values) - len(pieces), 1))


def wander(values: Array) -> float:
    """How many times further a curve wanders than its second differences show: 1 for independent points.

    Steps between independent points alternate (a correlation of -0.5), steps of a running mean do not. The larger the
    correlation of neighbouring points that this gives, the less their differences tell of their scatter.
    """
    steps = np.diff(values)
    usual = OUTLYING * level(np.abs(steps))
    steps = np.clip(steps, -usual, usual)
    steps = steps - steps.mean()
    power = float((steps**2).sum())
    alternating = float((steps[1:] * steps[:-1]).sum()) / power if power > 0 else -0.5
    linked = min(max(1 + 2 * alternating, 0.0), MOST_LINKED)
    hidden = 6 / (6 - 8 * linked + 2 * linked**2)  # the variance of second differences of a first-order process
    together = min((1 + linked) / (1 - linked), float(AVERAGED))
    return sqrt(hidden * together)


def _list_splits(values: Array) -> tuple[Array, NDArray[np.intp]]:
    """The least squares left by each number of stretches of each beginning, and where the last of these starts."""
    count = len(values)
    centred = values - values.mean()
    sums = np.concatenate(([0.0], np.cumsum(centred)))
    squares = np.concatenate(([0.0], np.cumsum(centred**2)))
    starts, ends = np.arange(count + 1)[:, None], np.arange(count + 1)[None, :]
    sizes = np.maximum(ends - starts, 1)
    left = np.maximum(squares[ends] - squares[starts] - (sums[ends] - sums[starts]) ** 2 / sizes, 0.0)
    left[ends - starts < FEWEST] = np.inf
    most = max(1, min(count // 3, MOST))
    cost = np.full((most + 1, count + 1), np.inf)
    last = np.zeros((most + 1, count + 1), dtype=np.intp)
    cost[0, 0] = 0.0
    for pieces in range(1, most + 1):
        total = cost[pieces - 1][:, None] + left
        last[pieces] = np.argmin(total, axis=0)
        cost[pieces] = total.min(axis=0)
    return cost, last
