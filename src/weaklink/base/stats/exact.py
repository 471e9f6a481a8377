"""Chances of small samples, exactly: counts, and the order of two handfuls of numbers."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np

from weaklink.base.stats.level import Array

MOST_ORDERS = 20_000
"""Ways to divide the seeds that are all tried; beyond them as many are drawn."""


def at_least(count: int, of: int, share: float) -> float:
    """The chance of `count` or more out of `of` where each comes with the chance `share`."""
    return float(sum(comb(of, k) * share**k * (1.0 - share) ** (of - k) for k in range(count, of + 1)))


def at_most(count: int, of: int, share: float) -> float:
    """The chance of `count` or fewer."""
    return float(sum(comb(of, k) * share**k * (1.0 - share) ** (of - k) for k in range(count + 1)))


def higher_chance(first: Array, second: Array, *, seed: int = 0) -> float:
    """How often chance alone would put the first as far above the second in order, or further.

    The one-sided test of Mann and Whitney: only the order counts, so one wild seed cannot decide it. Three against
    three can just pass 5 %; fewer cannot.
    """
    ranks = _ranks(np.concatenate([first, second]))
    count, whole = len(first), len(first) + len(second)
    seen = ranks[:count].sum() - 1e-9
    if comb(whole, count) <= MOST_ORDERS:
        sums = np.array([ranks[list(chosen)].sum() for chosen in combinations(range(whole), count)])
        return float(np.mean(sums >= seen))
    rng = np.random.default_rng(seed)
    mixed = rng.permuted(np.broadcast_to(ranks, (MOST_ORDERS, whole)), axis=1)
    return float((1 + np.sum(mixed[:, :count].sum(axis=1) >= seen)) / (1 + MOST_ORDERS))


def _ranks(values: Array) -> Array:
    """The place of each value in the order; equal ones share the mean of their places."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts).astype(np.float64)
    means: Array = ends - (counts - 1) / 2.0
    return np.asarray(means[places.reshape(-1)])
