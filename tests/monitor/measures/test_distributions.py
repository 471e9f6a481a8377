from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.monitor.measures import cases
from weaklink.collect.monitor.measures.distributions import compute_histogram, summarise_distribution
from weaklink.collect.monitor.measures.numbers import LARGEST_SAMPLE, arrange_in_time, compute_stride, make_sample

FINITE = st.floats(-1e6, 1e6, width=32)


@cases.each_shape
@cases.each_seed
def test_it_agrees_with_plain_loops(shape, seed):
    rewards, *_ = cases.experience(shape, seed)
    numbers = cases.flat(rewards)
    slow = {
        "reward.mean": cases.mean(numbers),
        "reward.std": math.sqrt(cases.variance(numbers)),
        "reward.min": sorted(numbers)[0],
        "reward.max": sorted(numbers)[-1],
        "reward.q05": cases.quantile(numbers, 0.05),
        "reward.median": cases.quantile(numbers, 0.5),
        "reward.q95": cases.quantile(numbers, 0.95),
    }
    assert summarise_distribution(rewards).named("reward.") == pytest.approx(slow)


@given(arrays.arrays(np.float32, st.integers(1, 60), elements=FINITE))
def test_any_numbers_agree_with_plain_loops(array):
    numbers, found = cases.flat(array), summarise_distribution(array)
    assert found.min <= found.q05 <= found.median <= found.q95 <= found.max
    assert found.median == pytest.approx(cases.quantile(numbers, 0.5), rel=1e-9, abs=1e-9)
    assert found.std == pytest.approx(math.sqrt(cases.variance(numbers)), rel=1e-6, abs=1e-6)


def test_values_checked_by_hand():
    found = summarise_distribution([1, 2, 3, 4, 10])
    assert found == pytest.approx((4.0, math.sqrt(10.0), 1.0, 10.0, 1.2, 3.0, 8.8))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_number_that_is_none_shows_in_every_field(bad):
    assert all(math.isnan(number) for number in summarise_distribution([1.0, bad, 2.0]))


def test_nothing_has_no_distribution():
    assert summarise_distribution([]) is None
    assert compute_histogram([]) is None
    assert compute_histogram([math.nan]) is None


@pytest.mark.parametrize("dtype", [bool, np.int64, np.uint8, np.float16, np.float64])
def test_every_kind_of_number_is_taken(dtype):
    assert summarise_distribution(np.array([0, 1, 1, 0], dtype)).mean == 0.5


@cases.each_shape
def test_a_histogram_agrees_with_plain_loops(shape):
    rewards, *_ = cases.experience(shape, 1)
    edges, counts = compute_histogram(rewards)
    slow = [0] * 32
    for number in cases.flat(rewards):
        place = next((bin_ for bin_ in range(32) if number < edges[bin_ + 1]), 31)
        slow[place] += 1
    assert len(edges) == 33
    assert (edges[0], edges[-1]) == (min(cases.flat(rewards)), max(cases.flat(rewards)))
    assert counts.tolist() == slow


@pytest.mark.parametrize(
    "numbers", [[5.0] * 9, [0.0], [1e16, 1e16 + 2.0], [-1.7e308, 1.7e308], [0.0, 5e-324], [3.0, math.nan, math.inf]]
)
def test_a_histogram_of_odd_numbers(numbers):
    edges, counts = compute_histogram(numbers)
    assert np.isfinite(edges).all()
    assert (np.diff(edges) > 0).all()
    assert counts.sum() == np.isfinite(numbers).sum()


def test_a_large_array_is_sampled_and_its_extremes_and_faults_are_still_seen():
    large = np.random.default_rng(0).normal(size=(4096, 64)).astype(np.float32)
    large[1001, 33] = 77.0
    numbers = make_sample(large)
    assert numbers.sample.size <= LARGEST_SAMPLE
    assert (numbers.count, numbers.largest) == (large.size, 77.0)
    assert summarise_distribution(large).mean == pytest.approx(large.mean(), abs=0.02)
    assert summarise_distribution(large).q95 == pytest.approx(np.quantile(large, 0.95), abs=0.05)
    assert summarise_distribution(large) == summarise_distribution(large.copy())
    large[1001, 33] = np.nan
    assert math.isnan(summarise_distribution(large).mean)


def test_a_sample_sees_every_environment():
    environments = np.broadcast_to(np.arange(64), (4096, 64))
    assert set(make_sample(environments).sample) == set(range(64))
    assert all(math.gcd(compute_stride(count, 100), count) == 1 for count in range(1, 3000))


@pytest.mark.parametrize("shape", [(200_000,), (128, 4096), (40_000, 2), (70_000, 3)])
def test_what_is_seen_in_time_is_bounded_and_the_latest(shape):
    time = np.broadcast_to(np.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1)), shape)
    (table,) = arrange_in_time(time)
    assert table.size <= LARGEST_SAMPLE
    assert table[-1, 0] == shape[0] - 1
    assert (np.diff(table, axis=0) == 1).all()


def test_arrays_that_do_not_belong_together_are_not_put_together():
    assert arrange_in_time(np.zeros(5), np.zeros(6)) is None
    assert arrange_in_time(np.zeros((5, 2)), np.zeros(5)) is None
    assert arrange_in_time(np.zeros(0)) is None
    assert arrange_in_time(3.0) is None
