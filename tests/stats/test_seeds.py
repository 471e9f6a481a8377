from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.stats.bootstrap import interquartile_mean, stratified_interval
from weaklink.base.stats.paired import mcnemar, paired_interval
from weaklink.base.stats.seeds import (
    difference_interval,
    improvement_interval,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
    relabelling_chance,
    seeds_needed,
)

scipy_stats = pytest.importorskip("scipy.stats")


def seeds(mean: float, count: int = 10, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(mean, 1.0, count)


@pytest.mark.parametrize("count", [4, 5, 7, 8, 20])
def test_the_interquartile_mean_is_the_trimmed_mean(count):
    scores = seeds(3.0, count)
    assert float(interquartile_mean(scores)) == pytest.approx(scipy_stats.trim_mean(scores, 0.25))


def test_the_probability_of_improvement_is_mann_whitney():
    one, two = np.round(seeds(0.5, 9), 1), np.round(seeds(0.0, 12, 1), 1)
    expected = scipy_stats.mannwhitneyu(one, two).statistic / (len(one) * len(two))
    assert probability_of_improvement([one], [two]) == pytest.approx(expected)
    assert probability_of_improvement([one, two], [two, one]) == pytest.approx(0.5)


def test_the_interval_of_the_improvement_holds_it_and_narrows_with_seeds():
    few = improvement_interval([seeds(1.0, 5)], [seeds(0.0, 5, 1)], np.random.default_rng(0))
    many = improvement_interval([seeds(1.0, 200)], [seeds(0.0, 200, 1)], np.random.default_rng(0))
    assert few.low <= few.estimate <= few.high
    assert many.high - many.low < 0.5 * (few.high - few.low)
    truth = scipy_stats.norm.cdf(1.0 / np.sqrt(2.0))
    assert many.low < truth < many.high


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    truth = scipy_stats.norm.cdf(1.0 / np.sqrt(2.0))
    held = 0
    for trial in range(100):
        one, two = seeds(1.0, 20, 2 * trial), seeds(0.0, 20, 2 * trial + 1)
        found = improvement_interval([one], [two], np.random.default_rng(trial), resamples=400)
        held += found.low <= truth <= found.high
    assert 85 <= held <= 100


def test_tasks_are_drawn_within_themselves():
    low, high = np.full(5, 0.0), np.full(5, 100.0)
    found = stratified_interval([low, high], np.random.default_rng(0))
    assert (found.low, found.high) == (50.0, 50.0)


def test_the_difference_is_that_of_the_interquartile_means():
    one, two = seeds(5.0, 8), seeds(3.0, 8, 1)
    found = difference_interval([one], [two], np.random.default_rng(0))
    assert found.estimate == pytest.approx(scipy_stats.trim_mean(one, 0.25) - scipy_stats.trim_mean(two, 0.25))
    assert found.low < 2.0 < found.high


def test_what_lies_above_the_target_makes_up_for_nothing():
    assert optimality_gap(np.array([0.0, 2.0]), 1.0) == pytest.approx(0.5)
    assert optimality_gap(np.array([1.0, 7.0]), 1.0) == 0.0


def test_a_profile_falls_from_one_to_none():
    levels = np.array([-1.0, 0.0, 1.5, 2.0])
    found = performance_profile([np.array([0.0, 1.0, 2.0, 3.0]), np.array([5.0])], levels)
    assert found.tolist() == [1.0, 0.875, 0.75, 0.625]


@pytest.mark.parametrize("count", [4, 5, 8])
def test_relabelling_is_the_permutation_test(count):
    one, two = seeds(1.0, count), seeds(0.0, count, 1)

    def difference(first, second, axis):
        return np.mean(first, axis=axis) - np.mean(second, axis=axis)

    expected = scipy_stats.permutation_test((one, two), difference, n_resamples=20_000, rng=0).pvalue
    assert relabelling_chance([one], [two], np.random.default_rng(0)) == pytest.approx(expected, abs=0.02)


def test_three_seeds_a_side_tell_nothing():
    far = relabelling_chance([np.array([9.0, 9.1, 9.2])], [np.array([0.0, 0.1, 0.2])], np.random.default_rng(0))
    assert far > 0.05


@pytest.mark.parametrize(("difference", "needed"), [(1.0, 17), (0.5, 64), (0.8, 26)])
def test_seeds_needed_as_the_tables_of_power_have_them(difference, needed):
    assert seeds_needed(difference, 1.0, 1.0) == needed


def test_no_number_of_seeds_tells_no_difference():
    assert seeds_needed(0.0, 1.0, 1.0) is None
    assert seeds_needed(1e-6, 1.0, 1.0) is None
    assert seeds_needed(float("nan"), 1.0, 1.0) is None
    assert seeds_needed(1.0, 0.0, 0.0) == 2


@pytest.mark.parametrize(("only", "other"), [(8, 1), (5, 5), (0, 0), (30, 12), (0, 7)])
def test_mcnemar_is_the_binomial_test_on_what_differs(only, other):
    first = np.array([1.0] * only + [0.0] * other + [1.0, 0.0])
    second = np.array([0.0] * only + [1.0] * other + [1.0, 0.0])
    found = mcnemar(first, second)
    assert (found.first_only, found.second_only) == (only, other)
    count = only + other
    expected = scipy_stats.binomtest(only, count).pvalue if count else 1.0
    assert found.chance == pytest.approx(expected)


def test_a_paired_interval_is_narrower_than_the_spread_of_the_items():
    hard = np.linspace(0.0, 1.0, 200)
    better = hard + 0.05 + 0.01 * seeds(0.0, 200)
    found = paired_interval([better - hard], np.random.default_rng(0))
    assert 0.045 < found.low < 0.05 < found.high < 0.055


def test_tasks_of_unlike_size_count_alike():
    found = paired_interval([np.ones(10), np.zeros(1000)], np.random.default_rng(0))
    assert (found.estimate, found.low, found.high) == (0.5, 0.5, 0.5)
