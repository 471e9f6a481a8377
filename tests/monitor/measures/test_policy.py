from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.monitor.measures import cases
from weaklink.collect.monitor.measures.policy import (
    categorical_kl,
    clip_fraction,
    kl,
    kl_first_order,
    log_prob_min,
    measure_policy_change,
    measure_sampler_gap,
)


def log_probabilities(shape, seed, distance=0.3):
    draws = np.random.default_rng([seed, *shape])
    before = -np.abs(draws.normal(1.0, 0.5, shape)).astype(np.float32)
    return before, (before + draws.normal(0.0, distance, shape)).astype(np.float32)


@cases.each_shape
@cases.each_seed
@pytest.mark.parametrize("clip_range", [0.05, 0.2])
def test_it_agrees_with_plain_loops(shape, seed, clip_range):
    before, after = log_probabilities(shape, seed)
    logs = [new - old for old, new in zip(cases.flat(before), cases.flat(after), strict=True)]
    ratios = [math.exp(each) for each in logs]
    slow = {
        "policy.kl": cases.mean([ratio - 1.0 - each for ratio, each in zip(ratios, logs, strict=True)]),
        "policy.ratio_mean": cases.mean(ratios),
        "policy.ratio_std": math.sqrt(cases.variance(ratios)),
        "policy.ratio_min": min(ratios),
        "policy.ratio_max": max(ratios),
        "policy.effective_sample_share": sum(ratios) ** 2 / sum(ratio**2 for ratio in ratios) / len(ratios),
        "policy.clip_range": clip_range,
        "policy.clip_fraction": cases.mean([float(abs(ratio - 1.0) > clip_range) for ratio in ratios]),
    }
    assert measure_policy_change(before, after, clip_range) == pytest.approx(slow)
    assert kl(before, after) == pytest.approx(slow["policy.kl"])
    assert kl_first_order(before, after) == pytest.approx(-cases.mean(logs), abs=1e-9)
    assert clip_fraction(before, after, clip_range) == slow["policy.clip_fraction"]


def test_values_checked_by_hand():
    before, after = np.log([0.5, 0.5]), np.log([0.25, 0.75])
    assert kl_first_order(before, after) == pytest.approx(0.5 * math.log(4.0 / 3.0))
    assert kl(before, after) == pytest.approx(0.5 * math.log(4.0 / 3.0))  # the mean ratio is 1
    assert clip_fraction(before, after, 0.49) == 1.0
    assert clip_fraction(before, after, 0.51) == 0.0


@given(arrays.arrays(np.float64, st.integers(1, 30), elements=st.floats(-50.0, 5.0)), st.floats(0.0, 1.0))
def test_the_kl_is_never_negative_and_nothing_moved_is_zero(before, distance):
    assert kl(before, before) == 0.0
    assert kl(before, before + distance * np.cos(before)) >= 0.0
    assert kl(before, before + 1e-12) >= 0.0


def test_the_sign_tells_which_way_the_samples_fell():
    before = np.log(np.full(100, 0.5))
    assert kl_first_order(before, before + 0.1) == pytest.approx(-0.1)
    assert kl(before, before + 0.1) > 0.0


def test_estimates_lie_near_the_exact_divergence():
    draws = np.random.default_rng(0)
    first, second = draws.normal(size=4), draws.normal(size=4)
    old = first - np.log(np.exp(first).sum())
    new = second - np.log(np.exp(second).sum())
    taken = draws.choice(4, size=60_000, p=np.exp(old))
    exact = categorical_kl(first[None], second[None])
    assert kl(old[taken], new[taken]) == pytest.approx(exact, rel=0.03)
    assert kl_first_order(old[taken], new[taken]) == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize("shape", [(5,), (9, 3), (4, 2, 6)], ids=str)
@cases.each_seed
def test_the_exact_divergence_agrees_with_plain_loops(shape, seed):
    draws = np.random.default_rng(seed)
    first, second = draws.normal(size=shape), draws.normal(size=shape)
    rows = []
    for one, other in zip(first.reshape(-1, shape[-1]), second.reshape(-1, shape[-1]), strict=True):
        left = [math.exp(each) / sum(math.exp(any_) for any_ in one) for each in one]
        right = [math.exp(each) / sum(math.exp(any_) for any_ in other) for each in other]
        rows.append(sum(here * math.log(here / there) for here, there in zip(left, right, strict=True)))
    assert categorical_kl(first, second) == pytest.approx(cases.mean(rows))


def test_actions_that_are_ruled_out_count_nothing():
    ruled = np.array([[0.0, 1.0, -np.inf]])
    assert categorical_kl(ruled, ruled) == 0.0
    assert categorical_kl(ruled, np.array([[0.0, 1.0, 2.0]])) > 0.0
    assert categorical_kl(np.array([[0.0, 1.0, 2.0]]), ruled) == math.inf
    assert math.isnan(categorical_kl(np.array([[0.0, np.nan]]), np.zeros((1, 2))))


@pytest.mark.parametrize("bad", [math.nan, -math.inf, math.inf])
def test_a_number_that_is_none_shows_in_every_measure(bad):
    before, after = np.log([0.5, 0.5, 0.5]), np.log([0.4, 0.5, 0.6])
    after[1] = bad
    found = measure_policy_change(before, after, 0.2)
    assert found.pop("policy.clip_range") == 0.2
    assert all(math.isnan(number) for number in found.values())
    assert math.isnan(kl(before, after))
    assert math.isnan(log_prob_min(after))


def test_a_ratio_without_bound_is_infinite_and_no_warning():
    found = measure_policy_change([-900.0, -1.0], [-1.0, -1.0], 0.2)
    assert found["policy.kl"] == found["policy.ratio_max"] == math.inf
    assert found["policy.effective_sample_share"] == pytest.approx(0.5)
    assert found["policy.clip_fraction"] == 0.5


def test_nothing_gives_nothing():
    assert measure_policy_change([], []) == {}
    assert measure_policy_change([1.0], [1.0, 2.0]) == {}
    assert kl([], []) is None
    assert kl_first_order([], []) is None
    assert clip_fraction([], [], 0.2) is None
    assert categorical_kl([], []) is None
    assert log_prob_min([]) is None
    assert "policy.clip_fraction" not in measure_policy_change([0.0], [0.0])


@cases.each_seed
def test_the_gap_of_the_sampler_agrees_with_plain_loops(seed):
    sampled, trained = log_probabilities((6, 11), seed)
    mask = np.random.default_rng(seed).random((6, 11)) < 0.7
    pairs = zip(cases.flat(sampled), cases.flat(trained), mask.ravel(), strict=True)
    gaps = [new - old for old, new, counted in pairs if counted]
    found = measure_sampler_gap(sampled, trained, mask)
    assert found["data.sampler_gap"] == pytest.approx(cases.mean([abs(gap) for gap in gaps]))
    assert found["data.importance_ratio_max"] == pytest.approx(math.exp(max(gaps)))
    assert measure_sampler_gap(sampled, trained, mask[:, :3]) == {}
    assert measure_sampler_gap(sampled, trained, np.zeros_like(mask)) == {}
