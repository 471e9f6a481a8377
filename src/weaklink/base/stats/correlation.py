"""How closely two quantities go together, plainly and while a third is held fixed.

Both work on ranks, so that a few huge values do not decide, and both leave out rows that do not say.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

FEWEST = 10
"""Rows below which nothing is said."""

PIECE = 8192
"""Numbers that are multiplied at once. From 10,000 on OpenBLAS has threads share the work: on a busy machine waiting
for them takes longer than all of it in one, and what comes out depends on how many there are.
"""

MOST_LEVELS = 20
"""A quantity of more values than this is held fixed by so many bins of equal size."""


def correlation(first: Array, second: Array) -> float | None:
    """The rank correlation of two columns; None where too few rows have both, or one of them never changes."""
    both = np.isfinite(first) & np.isfinite(second)
    if both.sum() < FEWEST:
        return None
    return _cosine(_centre(ranks(first[both])), _centre(ranks(second[both])))


def correlation_within(first: Array, second: Array, fixed: Array) -> float | None:
    """The rank correlation of two columns among rows of one level of a third; None where that cannot be told."""
    known = np.isfinite(first) & np.isfinite(second) & np.isfinite(fixed)
    if known.sum() < FEWEST:
        return None
    level = levels(fixed[known])
    return _cosine(_centre(ranks(first[known]), level), _centre(ranks(second[known]), level))


def dot(first: Array, second: Array) -> float:
    """The sum of the products of two columns."""
    pieces = range(0, len(first), PIECE)
    return float(sum(first[place : place + PIECE] @ second[place : place + PIECE] for place in pieces))


def ranks(values: Array) -> Array:
    """The place of each value in their order; equal values share the middle of their places."""
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    middle: Array = (last - (count - 1) / 2.0)[place]
    return middle


def levels(values: Array) -> NDArray[np.int64]:
    """Each value as the number of its level: of the value itself where there are few, else of a bin of equal size."""
    distinct, place = np.unique(values, return_inverse=True)
    if len(distinct) <= MOST_LEVELS:
        return np.asarray(place, np.int64)
    share = (ranks(values) - 0.5) / len(values)
    return np.asarray(share * MOST_LEVELS, np.int64)


def _centre(values: Array, level: NDArray[np.int64] | None = None) -> Array:
    """The values less their mean, or less the mean of their level."""
    means: Array = np.full(len(values), values.mean())
    if level is not None:
        means = (np.bincount(level, weights=values) / np.maximum(np.bincount(level), 1))[level]
    return np.asarray(values - means, np.float64)


def _cosine(first: Array, second: Array) -> float | None:
    sizes = float(np.sqrt(dot(first, first) * dot(second, second)))
    if not sizes > 1e-9 * len(first):
        return None
    return float(np.clip(dot(first, second) / sizes, -1.0, 1.0))
