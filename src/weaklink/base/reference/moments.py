"""Running mean and variance (Chan et al., 1979), and the usual ways to get them wrong."""

from __future__ import annotations

from collections.abc import Callable

from weaklink.base.reference.discounting import Array

Moments = tuple[Array, Array, float]
"""Mean, variance and how many samples they are made of."""

Merge = Callable[[Moments, Moments], Moments]


def merge_moments(first: Moments, second: Moments) -> Moments:
    """The moments of two samples taken together, from the moments of each."""
    (mean, variance, count), (other_mean, other_variance, other_count) = first, second
    total = count + other_count
    gap = other_mean - mean
    squares = variance * count + other_variance * other_count + gap**2 * count * other_count / total
    return mean + gap * other_count / total, squares / total, total


def moments(samples: Array) -> Moments:
    """Mean and variance of the rows."""
    return samples.mean(axis=0), samples.var(axis=0), float(len(samples))


def merge_batches(batches: list[Array], merge: Merge = merge_moments, *, from_nothing: bool = False) -> Moments:
    """The moments of batches that came one after the other, beginning with the first or with nothing."""
    mean, variance, count = moments(batches[0])
    total = (mean * 0.0, variance * 0.0, 0.0) if from_nothing else (mean, variance, count)
    for batch in batches if from_nothing else batches[1:]:
        total = merge(total, moments(batch))
    return total


def _without_gap(first: Moments, second: Moments) -> Moments:
    mean, _, total = merge_moments(first, second)
    return mean, (first[1] * first[2] + second[1] * second[2]) / total, total


def _gap_not_squared(first: Moments, second: Moments) -> Moments:
    mean, _, total = merge_moments(first, second)
    gap = second[0] - first[0]
    squares = first[1] * first[2] + second[1] * second[2] + gap * first[2] * second[2] / total
    return mean, squares / total, total


def _batch_counts_one(first: Moments, second: Moments) -> Moments:
    return merge_moments(first, (second[0], second[1], 1.0))


def _equal_weights(first: Moments, second: Moments) -> Moments:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2, first[2] + second[2]


def _replaced(first: Moments, second: Moments) -> Moments:
    return second[0], second[1], first[2] + second[2]


def _count_kept(first: Moments, second: Moments) -> Moments:
    mean, variance, _ = merge_moments(first, second)
    return mean, variance, first[2]


def _old_mean_kept(first: Moments, second: Moments) -> Moments:
    _, variance, total = merge_moments(first, second)
    return first[0], variance, total


def _sum_not_divided(first: Moments, second: Moments) -> Moments:
    mean, variance, total = merge_moments(first, second)
    return mean, variance * total, total


MOMENTS_VARIANTS: dict[str, tuple[Merge, ...]] = {
    "variance without the delta term": (_without_gap,),
    "delta not squared": (_gap_not_squared,),
    "batch counted as one sample": (_batch_counts_one,),
    "old and new weighted alike": (_equal_weights,),
    "only the last batch kept": (_replaced,),
    "count not updated": (_count_kept,),
    "mean not updated": (_old_mean_kept,),
    "sum of squares not divided by the count": (_sum_not_divided,),
}
