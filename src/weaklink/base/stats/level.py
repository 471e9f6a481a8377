"""Where a curve is and how much it scatters, undisturbed by outliers."""

from __future__ import annotations

from math import nan, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

_NORMAL = 1.4826022185056018  # median absolute deviation of a normal distribution to its standard deviation


def level(values: ArrayLike) -> float:
    """The median (numpy's own would load its masked arrays first, which takes longer than a small diagnosis)."""
    array = np.asarray(values, dtype=np.float64)
    half = len(array) // 2
    if len(array) % 2:
        return float(np.partition(array, half)[half])
    return float(np.partition(array, (half - 1, half))[half - 1 : half + 1].mean()) if half else nan


def quantile(values: Array, share: float) -> float:
    """The value below which this share of the values lies, between neighbours in proportion."""
    ordered = np.sort(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    return float(ordered[low] + (at - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low]))


def spread(values: Array) -> float:
    """A standard deviation that a few outliers cannot move: the scaled median absolute deviation."""
    return _NORMAL * level(np.abs(values - level(values)))


def noise(values: Array) -> float:
    """The scatter from point to point, free of trend: what is left of neighbours once the curve is taken out.

    Where more than half of the neighbours are equal the robust estimate is zero, so the plain one is taken.
    """
    if len(values) < 3:
        return 0.0
    bends = values[2:] - 2 * values[1:-1] + values[:-2]
    robust = _NORMAL * level(np.abs(bends))
    return (robust if robust > 0 else float(bends.std())) / sqrt(6.0)


def block_means(values: Array, count: int) -> Array:
    """The means of `count` blocks of nearly equal size, or the values themselves where there are no more."""
    if len(values) <= count:
        return values
    starts = (np.arange(count) * len(values)) // count
    sizes = np.diff(np.append(starts, len(values)))
    return np.asarray(np.add.reduceat(values, starts) / sizes)
