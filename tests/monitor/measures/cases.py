"""Random experience of several shapes, and plain loops that reckon slowly what the measures reckon fast."""

from __future__ import annotations

import math

import numpy as np
import pytest

SHAPES = [(16,), (97,), (24, 1), (33, 5), (12, 7, 1), (300, 3)]

each_shape = pytest.mark.parametrize("shape", SHAPES, ids=str)
each_seed = pytest.mark.parametrize("seed", range(4))


def experience(shape, seed, ends=0.2):
    """Rewards, values, targets, and where episodes terminated or were cut."""
    draws = np.random.default_rng([seed, *shape])
    rewards = draws.normal(0.5, 2.0, shape).astype(np.float32)
    values = (rewards + draws.normal(0.0, 1.0, shape)).astype(np.float32)
    targets = draws.normal(1.0, 3.0, shape).astype(np.float32)
    ended = draws.random(shape) < ends
    truncated = ended & (draws.random(shape) < 0.3)
    return rewards, values, targets, ended & ~truncated, truncated


def flat(array):
    return [float(number) for number in np.asarray(array).ravel()]


def mean(numbers):
    total = 0.0
    for number in numbers:
        total += number
    return total / len(numbers)


def variance(numbers):
    centre = mean(numbers)
    return mean([(number - centre) ** 2 for number in numbers])


def quantile(numbers, share):
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = math.ceil(place)
    return ordered[below] * (1 - (place - below)) + ordered[above] * (place - below)


def correlation(pairs):
    if len(pairs) < 8:
        return None
    left, right = [one for one, _ in pairs], [other for _, other in pairs]
    if len(set(left)) == 1 or len(set(right)) == 1:
        return None
    together = mean([(one - mean(left)) * (other - mean(right)) for one, other in pairs])
    return together / math.sqrt(variance(left) * variance(right))


def columns(array):
    """One list a environment, in the order of time."""
    table = np.asarray(array)
    return [list(column) for column in table.reshape(len(table), -1).T]


def same(fast, slow, tolerance=1e-6):
    if slow is None or fast is None:
        return fast is None and slow is None
    return fast == pytest.approx(slow, rel=tolerance, abs=tolerance)
