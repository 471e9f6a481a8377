"""Whether a curve really rises or falls, and how steeply."""

from __future__ import annotations

from math import erfc, sqrt

import msgspec
import numpy as np

from weaklink.base.stats.level import Array, block_means, level

MOST_BLOCKS = 40
MONOTONE = 0.75  # a tau beyond this is a trend however much its points lean on each other; bends are no correlation


class Trend(msgspec.Struct, frozen=True):
    """A monotone trend: Theil-Sen slope, Kendall's tau, and the chance of such a tau without any trend.

    `change` is the fitted value at the end minus the fitted value at the start.
    """

    slope: float
    tau: float
    p_value: float
    change: float

    @property
    def monotone(self) -> bool:
        """Nearly every point lies beyond all before it, to one side."""
        return abs(self.tau) > MONOTONE

    @property
    def rises(self) -> bool:
        """Rises, by more than chance."""
        return self.p_value < 0.01 and self.slope > 0

    @property
    def falls(self) -> bool:
        """Falls, by more than chance."""
        return self.p_value < 0.01 and self.slope < 0


def theil_sen(values: Array, steps: Array | None = None) -> tuple[float, float]:
    """The median of the slopes of all pairs of points, and the intercept that goes with it."""
    at = np.arange(len(values), dtype=np.float64) if steps is None else steps
    first, second = np.triu_indices(len(values), k=1)
    apart = at[second] - at[first]
    slopes = (values[second] - values[first])[apart > 0] / apart[apart > 0]
    slope = level(slopes) if len(slopes) else 0.0
    return slope, level(values) - slope * level(at)


def mann_kendall(values: Array) -> tuple[float, float]:
    """Kendall's tau of the values against their order, and its two-sided p-value, ties accounted for."""
    count = len(values)
    if count < 3:
        return 0.0, 1.0
    first, second = np.triu_indices(count, k=1)
    score = float(np.sign(values[second] - values[first]).sum())
    ordered = np.sort(values)
    tied = np.diff(np.flatnonzero(np.concatenate(([True], np.diff(ordered) != 0, [True])))).astype(np.float64)
    variance = (count * (count - 1) * (2 * count + 5) - (tied * (tied - 1) * (2 * tied + 5)).sum()) / 18
    pairs = count * (count - 1) / 2
    untied = sqrt(pairs * (pairs - (tied * (tied - 1) / 2).sum()))
    if variance <= 0 or untied <= 0:
        return 0.0, 1.0
    return score / untied, erfc(abs(score) / sqrt(variance) / sqrt(2.0))


def trend(values: Array, steps: Array | None = None) -> Trend:
    """The trend of a logged curve, whose points lean on their neighbours.

    Smoothed and bootstrapped curves are strongly autocorrelated, which makes the plain test see trends everywhere.
    So block means are tested, and the test's variance is widened by the correlation left between blocks.
    """
    coarse = block_means(values, MOST_BLOCKS)
    at = None if steps is None else block_means(steps, MOST_BLOCKS)
    if len(coarse) < 4:
        return Trend(0.0, 0.0, 1.0, 0.0)
    slope, intercept = theil_sen(coarse, at)
    tau, p_value = mann_kendall(coarse)
    where = np.arange(len(coarse), dtype=np.float64) if at is None else at
    residuals = coarse - (intercept + slope * where)
    widened = p_value if abs(tau) > MONOTONE else _widen_p_value(p_value, residuals)
    return Trend(slope, tau, widened, slope * float(where[-1] - where[0]))


def _widen_p_value(p_value: float, residuals: Array) -> float:
    """The p-value once the lag-one correlation of the residuals has cut the number of independent points."""
    centred = residuals - residuals.mean()
    power = float((centred**2).sum())
    if power <= 0 or p_value >= 1:
        return p_value
    correlation = min(max(float((centred[1:] * centred[:-1]).sum()) / power, 0.0), 0.9)
    z = _z_of(p_value) * sqrt((1 - correlation) / (1 + correlation))
    return erfc(z / sqrt(2.0))


def _z_of(p_value: float) -> float:
    """The z whose two-sided p-value this is, by bisection."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        if erfc(middle / sqrt(2.0)) > p_value:
            low = middle
        else:
            high = middle
    return low
