from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from weaklink.base.stats import (
    bootstrap_interval,
    interquartile_mean,
    level,
    mann_kendall,
    quantile,
    spread,
    stratified_interval,
    theil_sen,
)

values = st.lists(st.floats(-1e6, 1e6), min_size=4, max_size=60).map(lambda xs: np.array(xs))


@given(values)
@settings(max_examples=100, deadline=None)
def test_mann_kendall_is_kendalls_tau_against_time(sample):
    tau, p_value = mann_kendall(sample)
    theirs = scipy_stats.kendalltau(np.arange(len(sample)), sample, method="asymptotic")
    if np.isnan(theirs.statistic):
        assert (tau, p_value) == (0.0, 1.0)
    else:
        assert tau == pytest.approx(theirs.statistic, abs=1e-9)
        assert p_value == pytest.approx(theirs.pvalue, abs=1e-9)


@given(values)
@settings(max_examples=100, deadline=None)
def test_theil_sen_is_scipys(sample):
    slope, intercept = theil_sen(sample)
    theirs = scipy_stats.theilslopes(sample)
    assert slope == pytest.approx(theirs.slope, rel=1e-9, abs=1e-9)
    assert intercept == pytest.approx(theirs.intercept, rel=1e-6, abs=1e-6)


@given(values)
@settings(max_examples=50, deadline=None)
def test_level_and_spread_are_median_and_scaled_mad(sample):
    assert level(sample) == pytest.approx(np.median(sample))
    assert quantile(sample, 0.3) == pytest.approx(np.quantile(sample, 0.3), rel=1e-9, abs=1e-9)
    assert spread(sample) == pytest.approx(scipy_stats.median_abs_deviation(sample, scale="normal"), rel=1e-6)


def test_bootstrap_interval_agrees_with_scipys():
    sample = np.random.default_rng(3).exponential(2.0, 80)
    ours = bootstrap_interval(sample, np.random.default_rng(0), resamples=8000)
    theirs = scipy_stats.bootstrap(
        (sample,), np.mean, method="percentile", n_resamples=8000, rng=np.random.default_rng(1)
    ).confidence_interval
    assert ours.estimate == pytest.approx(sample.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.03)
    assert ours.high == pytest.approx(theirs.high, abs=0.03)


def test_interquartile_mean_is_a_trimmed_mean():
    sample = np.random.default_rng(4).normal(size=100)
    assert interquartile_mean(sample) == pytest.approx(scipy_stats.trim_mean(sample, 0.25))


def test_the_same_seed_gives_the_same_interval():
    groups = [np.random.default_rng(seed).normal(seed, 1, 10) for seed in range(3)]
    first = stratified_interval(groups, np.random.default_rng(7))
    second = stratified_interval(groups, np.random.default_rng(7))
    assert first == second
    assert first.low < first.estimate < first.high
