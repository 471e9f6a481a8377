"""Where the numbers of an array lie: extremes, mean, spread, quantiles, and a histogram."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from weaklink.collect.monitor.measures.numbers import Array, NumberSample, compute_stride, make_sample

BINS = 32

QUANTILES = (0.05, 0.5, 0.95)

MOST_ORDERED = 16_384
"""Quantiles are taken of no more numbers than this, since putting them in order costs most."""

LARGEST_EDGE, SMALLEST_RANGE = 1e300, 1e-290

Histogram = tuple[Array, Array]
"""33 edges, and how many numbers lie in each of the 32 bins between them."""


class Distribution(NamedTuple):
    """An array in seven numbers, all nan where one of its own is none."""

    mean: float
    std: float
    min: float
    max: float
    q05: float
    median: float
    q95: float

    def named(self, prefix: str) -> dict[str, float]:
        """The seven under their names in the vocabulary, such as `reward.mean` after the prefix `reward.`."""
        return {f"{prefix}{name}": value for name, value in self._asdict().items()}


UNKNOWN = Distribution(*[float("nan")] * 7)


def summarise_distribution(array: Any) -> Distribution | None:
    """An array in seven numbers, or None where it is empty."""
    numbers = make_sample(array)
    return None if numbers is None else _summarise_numbers(numbers)


@np.errstate(all="ignore")
def _summarise_numbers(numbers: NumberSample) -> Distribution:
    if not numbers.finite:
        return UNKNOWN
    return Distribution(
        float(numbers.sample.mean()),
        float(numbers.sample.std()),
        numbers.smallest,
        numbers.largest,
        *_compute_quantiles(numbers.sample[:: compute_stride(numbers.sample.size, MOST_ORDERED)]),
    )


def _compute_quantiles(sample: Array) -> list[float]:
    """The numbers at the three shares of the way from the smallest to the largest, between two by a straight line."""
    last = sample.size - 1
    places = [share * last for share in QUANTILES]
    around = [(int(place), min(int(place) + 1, last)) for place in places]
    ordered = np.partition(sample, sorted({each for pair in around for each in pair}))
    lower = [float(ordered[below]) for below, _ in around]
    upper = [float(ordered[above]) for _, above in around]
    return [low + (place - int(place)) * (high - low) for low, high, place in zip(lower, upper, places, strict=True)]


def compute_histogram(array: Any) -> Histogram | None:
    """Edges and counts of 32 bins of equal width; numbers that are none are left out, None where nothing is left."""
    numbers = make_sample(array)
    if numbers is None:
        return None
    sample = numbers.sample if numbers.finite else numbers.sample[np.isfinite(numbers.sample)]
    if sample.size == 0:
        return None
    sample = np.clip(sample, -LARGEST_EDGE, LARGEST_EDGE)
    low, high = float(sample.min()), float(sample.max())
    size = max(abs(low), abs(high))
    if high - low <= max(1e-9 * size, SMALLEST_RANGE):
        margin = 0.5 * max(1.0, size)  # all the same: one bin in the middle
        low, high = low - margin, high + margin
    counts, edges = np.histogram(sample, bins=BINS, range=(low, high))
    return edges, counts
