"""Two evaluations of the same items: the difference item by item, and whether chance alone would give it."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log

import msgspec
import numpy as np

from weaklink.base.stats.bootstrap import Interval
from weaklink.base.stats.level import Array

RESAMPLES = 2000
AT_ONCE = 4_000_000
"""Numbers that are drawn at one time."""


class Discordance(msgspec.Struct, frozen=True):
    """Items that one side alone got right. `chance` is how often luck alone would give so uneven a split or worse."""

    first_only: int
    second_only: int
    chance: float


def mcnemar(first: Array, second: Array) -> Discordance:
    """The exact test of McNemar on items that are right (1) or wrong (0) on both sides, in the same order."""
    only = int(np.sum((first > 0.5) & (second <= 0.5)))
    other = int(np.sum((first <= 0.5) & (second > 0.5)))
    return Discordance(only, other, _two_sided(min(only, other), only + other))


def paired_interval(
    differences: Sequence[Array],
    rng: np.random.Generator,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Interval:
    """The mean difference over items with its interval; items are drawn again within their task, pairs stay pairs.

    Tasks count alike, however many items each has.
    """
    means = np.zeros(resamples)
    for task in differences:
        batch = max(AT_ONCE // len(task), 1)
        for start in range(0, resamples, batch):
            rows = min(batch, resamples - start)
            means[start : start + rows] += task[rng.integers(0, len(task), (rows, len(task)))].mean(axis=1)
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(means / len(differences), (tail, 1.0 - tail))
    return Interval(float(np.mean([task.mean() for task in differences])), float(low), float(high))


def _two_sided(fewer: int, count: int) -> float:
    """The chance of a fair coin to fall `fewer` times or less often on either side, of `count` throws."""
    if count == 0:
        return 1.0
    terms = (lgamma(count + 1) - lgamma(k + 1) - lgamma(count - k + 1) - count * log(2.0) for k in range(fewer + 1))
    return min(1.0, 2.0 * sum(map(exp, terms)))
