"""Which of two policies is better, from a sample of returns of each."""

from __future__ import annotations

import msgspec
import numpy as np

from weaklink.base.stats.level import Array

RESAMPLES = 2000


class Contest(msgspec.Struct, frozen=True):
    """The difference of two means with its interval, and how often a draw from the first beats one from the second.

    `superiority` counts a tie as half a win.
    """

    difference: float
    low: float
    high: float
    superiority: float

    @property
    def better(self) -> bool:
        """The first is better, beyond chance."""
        return self.low > 0.0

    @property
    def worse(self) -> bool:
        """The first is worse, beyond chance."""
        return self.high < 0.0

    @property
    def apart(self) -> bool:
        """One of them is better, beyond chance."""
        return self.better or self.worse


def compare_means(first: Array, second: Array, *, confidence: float = 0.99, seed: int = 0) -> Contest:
    """Compares two samples of at least one value each by resampling both."""
    rng = np.random.default_rng(seed)
    means = [sample[rng.integers(0, len(sample), (RESAMPLES, len(sample)))].mean(axis=1) for sample in (first, second)]
    tail = (1.0 - confidence) / 2
    low, high = np.quantile(means[0] - means[1], (tail, 1.0 - tail))
    ordered = np.sort(second)
    below = np.searchsorted(ordered, first, side="left")
    ties = np.searchsorted(ordered, first, side="right") - below
    superiority = float(np.mean(below + 0.5 * ties) / len(second))
    return Contest(float(first.mean() - second.mean()), float(low), float(high), superiority)
