"""What several seeds say: aggregates, intervals, and how many more of them it would take.

A group is an array of scores, one a seed; where there are several tasks there is one group a task, and resampling
never mixes tasks. Written from the definitions of Agarwal et al., Deep Reinforcement Learning at the Edge of the
Statistical Precipice, 2021, whose own implementation is rliable.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, isfinite
from statistics import NormalDist

import numpy as np

from weaklink.base.stats.bootstrap import Interval, interquartile_mean
from weaklink.base.stats.level import Array

RESAMPLES = 2000
MOST_NEEDED = 100_000


def optimality_gap(scores: Array, target: float) -> float:
    """How far scores stay below a target on average; what lies above it does not make up for what lies below."""
    return float(np.mean(np.maximum(target - scores, 0.0)))


def performance_profile(groups: Sequence[Array], levels: Array) -> Array:
    """The share of seeds that score above each level, the mean over tasks."""
    return np.asarray(np.mean([np.mean(group[:, None] > levels[None, :], axis=0) for group in groups], axis=0))


def probability_of_improvement(first: Sequence[Array], second: Sequence[Array]) -> float:
    """How often a seed of the first beats one of the second, a tie counting half; the mean over tasks."""
    return float(np.mean([_wins(one, two) for one, two in zip(first, second, strict=True)]))


def improvement_interval(
    first: Sequence[Array],
    second: Sequence[Array],
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """The probability of improvement with its interval: the seeds of each side and task are drawn again."""
    drawn = np.zeros(resamples)
    for one, two in zip(first, second, strict=True):
        beaten = _beaten(one, two)
        rows = rng.integers(0, len(one), (resamples, len(one)))
        columns = rng.integers(0, len(two), (resamples, len(two)))
        weights = _count_draws(rows, len(one))
        others = _count_draws(columns, len(two))
        drawn += np.einsum("ri,ij,rj->r", weights, beaten, others, optimize=True) / (len(one) * len(two))
    low, high = _tails(drawn / len(first), confidence)
    return Interval(probability_of_improvement(first, second), low, high)


def difference_interval(
    first: Sequence[Array],
    second: Sequence[Array],
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """The difference of the interquartile means, first less second, each task drawn again within itself."""
    sides = []
    for groups in (first, second):
        drawn = [group[rng.integers(0, len(group), (resamples, len(group)))] for group in groups]
        sides.append(interquartile_mean(np.concatenate(drawn, axis=-1)))
    low, high = _tails(sides[0] - sides[1], confidence)
    estimate = float(interquartile_mean(np.concatenate(list(first)))) - float(
        interquartile_mean(np.concatenate(list(second)))
    )
    return Interval(estimate, low, high)


def relabelling_chance(
    first: Sequence[Array], second: Sequence[Array], rng: np.random.Generator, *, resamples: int = 9999
) -> float:
    """How often a difference of means at least as large comes about when the seeds of each task change sides at random.

    Two or three seeds a side can never be told apart this way, however far they lie apart: that is its use.
    """
    drawn = np.zeros(resamples)
    seen = 0.0
    for one, two in zip(first, second, strict=True):
        pooled = np.concatenate([one, two])
        mixed = rng.permuted(np.broadcast_to(pooled, (resamples, len(pooled))), axis=1)
        drawn += mixed[:, : len(one)].mean(axis=1) - mixed[:, len(one) :].mean(axis=1)
        seen += float(one.mean() - two.mean())
    slack = 1e-12 * max(abs(seen), 1e-300)
    return float((1 + np.sum(np.abs(drawn) >= abs(seen) - slack)) / (1 + resamples))


def seeds_needed(
    difference: float, first_spread: float, second_spread: float, *, power: float = 0.8, confidence: float = 0.95
) -> int | None:
    """How many seeds a side would tell such a difference from chance with this power; None where none would.

    The usual formula for two means, with the correction for estimating the spread from few seeds (Guenther 1981).
    """
    variance = first_spread**2 + second_spread**2
    if difference == 0.0 or not isfinite(difference) or not isfinite(variance):
        return None
    normal = NormalDist()
    doubt, strength = normal.inv_cdf((1.0 + confidence) / 2), normal.inv_cdf(power)
    needed = (doubt + strength) ** 2 * variance / difference**2 + doubt**2 / 4
    return max(ceil(needed), 2) if needed <= MOST_NEEDED else None


def _wins(first: Array, second: Array) -> float:
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left")
    ties = np.searchsorted(ordered, first, side="right") - below
    return float(np.mean(below + 0.5 * ties) / len(second))


def _beaten(first: Array, second: Array) -> Array:
    """For each pair 1 for a win of the first, 0.5 for a tie, 0 for a loss."""
    return np.asarray((np.sign(first[:, None] - second[None, :]) + 1.0) / 2.0)


def _count_draws(drawn: np.ndarray, size: int) -> Array:
    """How often each member was drawn, a row a resample."""
    offsets = np.arange(len(drawn))[:, None] * size
    return np.bincount((drawn + offsets).ravel(), minlength=len(drawn) * size).reshape(len(drawn), size).astype(float)


def _tails(values: Array, confidence: float) -> tuple[float, float]:
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(values, (tail, 1.0 - tail))
    return float(low), float(high)
