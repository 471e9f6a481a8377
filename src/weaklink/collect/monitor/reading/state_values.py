"""A head with one value a row: what its loss pulls each value towards, and with which weight.

The gradient of a square loss is `weight * (value - target)`. Where a row comes back in another minibatch its target is
the same and its value is not, so weight and targets follow together by least squares. A gradient that is exactly zero
comes from a clipped branch; one that is never larger than a limit, reached by several rows, from a Huber loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.joined import ROUNDING, JoinedCalls

SQUARE, HUBER = "square", "huber"

MOVING, CUT = "target moves along with the critic", "values cut off below zero"

SAME = 1e-5
"""Gradients of rows that reach the limit of a Huber loss agree to 32-bit rounding, some operations long."""

FEWEST_AT_LIMIT = 4
"""Rows that must share the largest gradient before it counts as a limit: by chance not even two do."""

FEWEST = 8
"""Fewer rows fit anything."""

FEWEST_CUT = 32
"""Rows without a gradient, all of values below zero, from which on an activation cuts them off."""

CLEAR = 1e-2
"""A weight whose standard error is larger than this share of it is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class ValueFit:
    """What a square or Huber loss asked for.

    Attributes:
        loss: SQUARE or HUBER.
        weight: of the loss, times the rows of a minibatch: 1 for a mean of halved squares.
        rows: (m,) the rows on the tape, each once.
        targets: (m,) what each value is pulled towards; NaN where every gradient of the row is at its limit or zero.
        unexplained: the root mean square that the loss leaves of the gradients, relative to theirs.
        error: the standard error of the weight, relative to it.
        silent: the share of gradients that are exactly zero.
        limit: the error from which on a Huber loss is straight; None for a square loss.
    """

    loss: str
    weight: float
    rows: Array
    targets: Array
    unexplained: float
    error: float
    silent: float
    limit: float | None = None

    def spread(self, rows: int) -> Array:
        """The targets by row of a tape with so many rows, NaN where none is known."""
        found = np.full(rows, np.nan)
        inside = (self.rows >= 0) & (self.rows < rows)
        found[self.rows[inside]] = self.targets[inside]
        return found


def are_cut(joined: JoinedCalls) -> bool:
    """Whether a loss asks nothing of any value below zero and something of every other one, as behind a ReLU."""
    values, silent = joined.outputs[:, 0], joined.asked[:, 0] == 0.0
    enough = np.count_nonzero(silent) >= FEWEST_CUT and np.count_nonzero(~silent) >= FEWEST
    return bool(enough and np.all(silent == (values <= 0.0)))


def find_limit(asked: Array) -> float | None:
    """The size that the largest gradients share, as those of a Huber loss do; None where they do not."""
    sizes = np.abs(asked[asked != 0.0])
    if len(sizes) < FEWEST:
        return None
    largest = float(sizes.max())
    at_limit = sizes >= largest * (1.0 - SAME)
    # rows that come back unchanged share their gradient too, but then not with others
    return largest if at_limit.sum() >= max(FEWEST_AT_LIMIT, 0.01 * len(sizes)) else None


def fit_repeated(rows: Array, values: Array, asked: Array) -> ValueFit | None:
    """Weight and targets from rows that came back; None where too few did, or their values did not move.

    Args:
        rows: (n,) the row on the tape; those without one are left out.
        values: (n,) what the head answered.
        asked: (n,) the gradient at it, times the rows of its minibatch.
    """
    known = rows >= 0
    rows, values, asked = rows[known], values[known], asked[known]
    if len(rows) < FEWEST:
        return None
    limit = find_limit(asked)
    inner = asked != 0.0
    if limit is not None:
        inner &= np.abs(asked) < limit * (1.0 - SAME)
    names, group = np.unique(rows, return_inverse=True)
    slope = _fit_slope(group[inner], values[inner], asked[inner], len(names))
    if slope is None:
        return None
    weight, error, kept = slope
    means = _mean_by_group(group[inner][kept], (values[inner] - asked[inner] / weight)[kept], len(names))
    left = asked[inner] - weight * (values[inner] - means[group[inner]])
    left = left[np.isfinite(left)]
    size = float(np.sqrt(np.mean(asked[inner] ** 2)))
    return ValueFit(
        loss=SQUARE if limit is None else HUBER,
        weight=weight,
        rows=names,
        targets=means,
        unexplained=float(np.sqrt(np.mean(left**2))) / max(size, 1e-30),
        error=error,
        silent=float(np.mean(asked == 0.0)),
        limit=None if limit is None else abs(limit / weight),
    )


def moves_along(rows: Array, values: Array, asked: Array) -> bool:
    """Whether every row is asked for the same change each time, however far its value has moved towards it.

    Then its target is made of its present value. Rows at the limit of a Huber loss look alike, and are none such.
    """
    known = rows >= 0
    rows, values, asked = rows[known], values[known], asked[known]
    if len(rows) < FEWEST or find_limit(asked) is not None or not np.any(asked != 0.0):
        return False
    names, group = np.unique(rows, return_inverse=True)
    everything = np.ones(len(rows), bool)
    apart, pulled = (_centre(each, group, everything, len(names)) for each in (values, asked))
    if len(rows) - len(names) < FEWEST or float(np.sum(apart**2)) <= 100.0 * float(np.sum((ROUNDING * values) ** 2)):
        return False
    moved = float(np.sqrt(np.mean(apart**2))) / max(float(values.std()), 1e-30)
    return moved > CLEAR and float(np.sqrt(np.mean(pulled**2))) < SAME * 10.0 * float(np.sqrt(np.mean(asked**2)))


def _fit_slope(group: Array, values: Array, asked: Array, count: int) -> tuple[float, float, Array] | None:
    """The slope of gradients over values within rows, its relative error, and the gradients that follow it."""
    if len(group) < FEWEST:
        return None
    kept = np.ones(len(group), bool)
    slope, noise = 0.0, 0.0
    for _ in range(3):
        apart, pulled = (_centre(each, group, kept, count) for each in (values, asked))
        square = float(np.sum(apart[kept] ** 2))
        rounding = float(np.sum((ROUNDING * values[kept]) ** 2))
        freedom = int(kept.sum()) - len(np.unique(group[kept]))
        # values that moved by no more than their rounding tell nothing of the slope
        if freedom < FEWEST or square <= 100.0 * rounding:
            return None
        slope = float(np.sum((apart * pulled)[kept])) / square
        left = np.abs(pulled - slope * apart)
        noise = float(np.sqrt(np.sum(left[kept] ** 2) / freedom / square))
        usual = float(np.median(left[kept]))
        kept = left <= max(20.0 * usual, SAME * float(np.abs(asked).max()))
    if slope == 0.0 or noise > CLEAR * abs(slope):
        return None
    return slope, noise / abs(slope), kept


def _mean_by_group(group: Array, numbers: Array, count: int) -> Array:
    counts = np.bincount(group, minlength=count)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.bincount(group, numbers, minlength=count) / counts)


def _centre(numbers: Array, group: Array, kept: Array, count: int) -> Array:
    return np.asarray(numbers - np.nan_to_num(_mean_by_group(group[kept], numbers[kept], count))[group])
