"""Intervals by resampling, with the random generator in the caller's hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from weaklink.base.stats.level import Array

Statistic = Callable[[Array], Array]


class Interval(msgspec.Struct, frozen=True):
    """A point estimate and the bounds that hold it with the confidence asked for."""

    estimate: float
    low: float
    high: float


def mean(samples: Array) -> Array:
    """The mean along the last axis."""
    return np.asarray(samples.mean(axis=-1))


def interquartile_mean(samples: Array) -> Array:
    """The mean of the middle half along the last axis (Agarwal et al. 2021)."""
    ordered = np.sort(samples, axis=-1)
    count = ordered.shape[-1]
    cut = count // 4
    return np.asarray(ordered[..., cut : count - cut].mean(axis=-1))


def bootstrap_interval(
    values: Array,
    rng: np.random.Generator,
    *,
    statistic: Statistic = mean,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Interval:
    """A percentile bootstrap interval of a statistic that reduces the last axis."""
    return stratified_interval([values], rng, statistic=statistic, confidence=confidence, resamples=resamples)


def stratified_interval(
    groups: Sequence[Array],
    rng: np.random.Generator,
    *,
    statistic: Statistic = interquartile_mean,
    confidence: float = 0.95,
    resamples: int = 2000,
) -> Interval:
    """The same over several groups (tasks), each resampled within itself and then pooled."""
    drawn = [group[rng.integers(0, len(group), (resamples, len(group)))] for group in groups]
    statistics = statistic(np.concatenate(drawn, axis=-1))
    tail = (1 - confidence) / 2
    low, high = np.quantile(statistics, (tail, 1 - tail))
    return Interval(float(statistic(np.concatenate(list(groups)))), float(low), float(high))
