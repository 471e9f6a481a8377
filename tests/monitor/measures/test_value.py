from __future__ import annotations

import math

import numpy as np
import pytest

from tests.monitor.measures import cases
from weaklink.base.evidence.rollout import TargetNetwork
from weaklink.collect.monitor.measures.value import (
    correlation,
    explained_variance,
    find_target_distance,
    penultimate_correlation,
    residual_variance,
    step_correlation,
    summarise_q_values,
    terminal_correlation,
)


@cases.each_shape
@cases.each_seed
def test_variance_left_over_agrees_with_plain_loops(shape, seed):
    _, values, targets, *_ = cases.experience(shape, seed)
    wanted, given = cases.flat(targets), cases.flat(values)
    left = [one - other for one, other in zip(wanted, given, strict=True)]
    slow = cases.variance(left) / cases.variance(wanted)
    assert residual_variance(targets, values) == pytest.approx(slow)
    assert explained_variance(targets, values) == pytest.approx(1.0 - slow)


def test_variance_left_over_by_hand():
    targets = np.array([1.0, 2.0, 3.0, 4.0])
    assert explained_variance(targets, targets + 7.0) == 1.0
    assert explained_variance(targets, np.zeros(4)) == 0.0
    assert explained_variance(targets, -targets) == -3.0
    assert residual_variance(targets, targets / 2) == 0.25


def test_no_share_of_nothing():
    assert residual_variance(np.full(8, 3.3, np.float32), np.arange(8.0)) is None
    assert residual_variance([], []) is None
    assert residual_variance(np.arange(8.0), np.arange(9.0)) is None
    rounding = np.float32(5.0) + np.array([0, 1, 0, -1], np.float32) * np.float32(5e-7)
    assert explained_variance(rounding, np.arange(4.0)) is None


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_number_that_is_none_is_told(bad):
    targets, values = np.arange(9.0), np.arange(9.0)
    values[4] = bad
    assert math.isnan(residual_variance(targets, values))
    assert math.isnan(explained_variance(values, targets))
    assert math.isnan(correlation(targets, values))
    assert math.isnan(step_correlation(values, targets, np.zeros(9, bool)) or 0.0)


@cases.each_shape
@cases.each_seed
@pytest.mark.parametrize("ends", [0.0, 0.1, 0.5, 1.0])
def test_correlations_agree_with_plain_loops(shape, seed, ends):
    rewards, values, _, terminated, truncated = cases.experience(shape, seed, ends)
    last, before, steps = [], [], []
    tables = (cases.columns(array) for array in (rewards, values, terminated, truncated))
    for reward, value, terminal, cut in zip(*tables, strict=True):
        for now in range(len(reward)):
            if terminal[now]:
                last.append((float(value[now]), float(reward[now])))
                if now > 0 and not terminal[now - 1] and not cut[now - 1]:
                    before.append((float(value[now - 1]), float(reward[now])))
            if now + 1 < len(reward) and not terminal[now] and not cut[now]:
                steps.append((float(value[now]) - float(value[now + 1]), float(reward[now])))
    ended = terminated | truncated
    assert cases.same(terminal_correlation(values, rewards, terminated), cases.correlation(last))
    assert cases.same(penultimate_correlation(values, rewards, terminated, ended), cases.correlation(before))
    assert cases.same(step_correlation(values, rewards, ended), cases.correlation(steps))


def test_a_critic_that_foretells_the_end_and_not_what_comes_before_it():
    draws = np.random.default_rng(3)
    rewards, values = np.zeros((40, 4)), draws.normal(size=(40, 4))
    ended = np.zeros((40, 4), bool)
    ended[3::4] = True
    rewards[ended] = draws.normal(size=ended.sum())
    values[ended] = 2.0 * rewards[ended]
    assert terminal_correlation(values, rewards, ended) == pytest.approx(1.0)
    assert abs(penultimate_correlation(values, rewards, ended)) < 0.5
    values[2::4] = rewards[3::4]
    assert penultimate_correlation(values, rewards, ended) == pytest.approx(1.0)


def test_values_that_fall_by_each_reward():
    rewards = np.random.default_rng(5).normal(size=30)
    to_go = np.cumsum(rewards[::-1])[::-1]
    assert step_correlation(to_go, rewards, np.zeros(30, bool)) == pytest.approx(1.0)
    jumps = np.zeros(30, bool)
    jumps[9::10] = True
    afresh = to_go + np.repeat([100.0, -50.0, 7.0], 10)
    assert step_correlation(afresh, rewards, jumps) == pytest.approx(1.0)
    assert step_correlation(afresh, rewards, np.zeros(30, bool)) < 0.9


def test_too_few_pairs_have_no_correlation():
    assert correlation(np.arange(7.0), np.arange(7.0)) is None
    assert correlation(np.arange(8.0), np.arange(8.0)) == 1.0
    assert correlation(np.arange(8.0), np.ones(8)) is None


@cases.each_shape
def test_q_values_agree_with_plain_loops(shape):
    first, second, *_ = cases.experience(shape, 2)
    one, other = cases.flat(first), cases.flat(second)
    assert summarise_q_values(first, second) == pytest.approx({
        "value.q_mean": cases.mean(one),
        "value.q_min": min(one),
        "value.q_max": max(one),
        "value.q2_mean": cases.mean(other),
        "value.q_twin_spread": cases.mean([abs(left - right) for left, right in zip(one, other, strict=True)]),
    })  # fmt: skip


def test_q_values_that_are_none_or_alone():
    assert summarise_q_values([]) == {}
    assert set(summarise_q_values([1.0, 2.0])) == {"value.q_mean", "value.q_min", "value.q_max"}
    found = summarise_q_values([1.0, 2.0], [1.0, math.nan])
    assert found["value.q_mean"] == 1.5
    assert math.isnan(found["value.q2_mean"])
    assert math.isnan(found["value.q_twin_spread"])


def test_the_distance_to_a_slow_copy_is_the_latest():
    def copy(*distances):
        return TargetNetwork(name="q", distances=distances, moved=(), online_moved=())

    assert find_target_distance((copy(0.5, 0.2), copy(0.1, 0.3))) == 0.3
    assert find_target_distance((copy(),)) is None
    assert math.isnan(find_target_distance((copy(math.nan), copy(0.3))))
