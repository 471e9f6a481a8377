"""Arrays made ready to be measured: flat, of bounded size, with a word on whether every number is one.

A non-finite number anywhere makes a measure nan, so that it is seen. Where there is nothing to measure, or a share of
nothing would be taken, there is no number at all: None.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

LARGEST_SAMPLE = 65_536
"""Measures look at no more elements than this; only the extremes are taken over all."""

ROUNDING = 1e-6
"""A range below this share of the largest number is rounding (float32 knows seven digits)."""


@dataclass(frozen=True, eq=False, slots=True)
class NumberSample:
    """An array as a flat sample; how many numbers it has, and its extremes, which are those of the whole array."""

    sample: Array
    count: int
    smallest: float
    largest: float

    @property
    def finite(self) -> bool:
        """Whether every number of the array is one."""
        return isfinite(self.smallest) and isfinite(self.largest)

    @property
    def size(self) -> float:
        """The largest absolute number."""
        return max(abs(self.smallest), abs(self.largest))

    @property
    def varies(self) -> bool:
        """Whether the numbers differ by more than rounding."""
        return self.largest - self.smallest > ROUNDING * self.size


def make_sample(array: Any) -> NumberSample | None:
    """An array made ready, if it was not so already, or None where it is empty."""
    if isinstance(array, NumberSample):
        return array
    raw = np.asarray(array)
    if raw.size == 0:
        return None
    if raw.dtype.kind not in "fiub":
        raw = raw.astype(np.float64)
    with np.errstate(invalid="ignore"):
        return NumberSample(sample=thin_array(raw), count=raw.size, smallest=float(raw.min()), largest=float(raw.max()))


def thin_array(raw: Array) -> Array:
    """Every element of a small array, and of a large one every so many, without favour for a place in its rows."""
    flat = raw.reshape(-1)
    return flat[:: compute_stride(flat.size, LARGEST_SAMPLE)].astype(np.float64, copy=False)


def compute_stride(count: int, most: int) -> int:
    """At which distance to take elements so that no more than so many are taken."""
    stride = -(-count // most)
    while gcd(stride, count) > 1:  # a stride that divides the row length would see one environment alone
        stride += 1
    return stride


def make_sample_pair(first: Any, second: Any) -> tuple[NumberSample, NumberSample] | None:
    """Two arrays made ready, element beside element, or None where they are empty or do not belong together."""
    left, right = make_sample(first), make_sample(second)
    return None if left is None or right is None or left.count != right.count else (left, right)


def arrange_in_time(*arrays: Any) -> tuple[Array, ...] | None:
    """Arrays as (time, environments), of bounded size: fewer environments first, then the latest steps alone.

    None where they are empty or do not belong together.
    """
    raw = [np.asarray(array) for array in arrays]
    if any(each.ndim == 0 or each.size == 0 for each in raw):
        return None
    tables = [each.reshape(len(each), -1) for each in raw]
    if any(each.shape != tables[0].shape for each in tables):
        return None
    rows, columns = tables[0].shape
    stride = -(-rows * columns // LARGEST_SAMPLE)
    kept = -(-columns // stride)
    return tuple(each[-(LARGEST_SAMPLE // kept) :, ::stride] for each in tables)
