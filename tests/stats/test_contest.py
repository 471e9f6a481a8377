from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from weaklink.base.stats import compare_means

samples = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=20).map(np.array)


@given(samples, samples)
@settings(max_examples=100, deadline=None)
def test_superiority_is_the_share_of_pairs_won(first, second):
    held = compare_means(first, second)
    won = np.mean([[1.0 if a > b else 0.5 if a == b else 0.0 for b in second] for a in first])
    assert held.superiority == pytest.approx(float(won))
    assert held.difference == pytest.approx(float(first.mean() - second.mean()), abs=1e-12)
    assert held.low <= held.high


@given(samples, samples)
@settings(max_examples=50, deadline=None)
def test_the_other_way_round_it_is_the_other_way_round(first, second):
    one, other = compare_means(first, second), compare_means(second, first)
    assert one.superiority == pytest.approx(1.0 - other.superiority)
    assert one.difference == pytest.approx(-other.difference, abs=1e-12)


def test_clear_differences_are_seen_and_chance_is_not():
    rng = np.random.default_rng(0)
    weak, strong = rng.normal(0, 1, 100), rng.normal(1, 1, 100)
    assert compare_means(strong, weak).better
    assert compare_means(weak, strong).worse
    assert compare_means(strong, weak).apart
    alike = compare_means(rng.normal(0, 1, 100), rng.normal(0, 1, 100))
    assert not alike.apart
    assert alike.low < 0.0 < alike.high


def test_two_equal_policies_are_told_apart_as_rarely_as_promised():
    rng = np.random.default_rng(1)
    told = sum(compare_means(rng.exponential(1, 40), rng.exponential(1, 40), confidence=0.95).apart for _ in range(300))
    assert 2 <= told <= 36, "about one in twenty"


def test_the_interval_is_that_of_two_means():
    rng = np.random.default_rng(2)
    first, second = rng.normal(5, 2, 400), rng.normal(3, 1, 300)
    held = compare_means(first, second, confidence=0.95)
    error = np.sqrt(first.var() / 400 + second.var() / 300)
    assert held.low == pytest.approx(held.difference - 1.96 * error, abs=0.15 * error)
    assert held.high == pytest.approx(held.difference + 1.96 * error, abs=0.15 * error)
    wider = compare_means(first, second, confidence=0.999)
    assert wider.low < held.low
    assert wider.high > held.high


def test_it_is_the_same_each_time():
    rng = np.random.default_rng(3)
    first, second = rng.normal(size=30), rng.normal(size=20)
    assert compare_means(first, second) == compare_means(first, second)
    assert compare_means(first, second, seed=1) != compare_means(first, second)


def test_constants_have_no_doubt():
    ones, twos = np.ones(5), np.full(3, 2.0)
    assert compare_means(twos, ones).better
    assert not compare_means(ones, ones.copy()).apart
    assert compare_means(np.array([1.0]), np.array([3.0])).worse


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_no_number_is_never_better(bad):
    sample = np.array([1.0, bad, 2.0])
    with np.errstate(invalid="ignore"):
        assert not compare_means(sample, np.array([bad, 3.0])).apart
