from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from tests.monitor.measures import cases
from weaklink.collect.monitor.measures.returns import (
    abs_max,
    average_reward_components,
    measure_group_spread,
    nonzero_fraction,
)


@cases.each_shape
@cases.each_seed
def test_it_agrees_with_plain_loops(shape, seed):
    rewards, *_ = cases.experience(shape, seed)
    sparse = np.where(np.abs(rewards) > 1.5, rewards, rewards * 1e-4)
    assert nonzero_fraction(sparse) == pytest.approx(
        cases.mean([float(abs(each) > 1e-3) for each in cases.flat(sparse)])
    )
    assert abs_max(rewards) == max(abs(each) for each in cases.flat(rewards))


def test_values_checked_by_hand():
    assert nonzero_fraction([0.0, 0.001, -0.002, 5.0]) == 0.5
    assert abs_max([-7.0, 3.0]) == 7.0
    assert abs_max([]) is None
    assert nonzero_fraction([]) is None
    assert math.isnan(abs_max([math.nan, 1.0]))
    assert math.isnan(nonzero_fraction([math.inf, 1.0]))


@cases.each_seed
def test_the_spread_in_groups_agrees_with_plain_loops(seed):
    draws = np.random.default_rng(seed)
    prompts = draws.integers(0, 9, size=60)
    rewards = draws.integers(0, 2, size=60).astype(float)
    groups = {
        each: [float(reward) for reward, prompt in zip(rewards, prompts, strict=True) if prompt == each]
        for each in set(prompts)
    }
    spreads = [statistics.stdev(group) for group in groups.values() if len(group) > 1]
    assert measure_group_spread(rewards, prompts) == pytest.approx({
        "reward.group_std": cases.mean(spreads),
        "reward.zero_spread_fraction": cases.mean([float(spread == 0.0) for spread in spreads]),
    })  # fmt: skip


def test_groups_by_hand():
    found = measure_group_spread([0.1, 0.1, 0.1, 0.0, 1.0, 5.0], [0, 0, 0, 1, 1, 2])
    assert found == pytest.approx({"reward.group_std": math.sqrt(0.5) / 2, "reward.zero_spread_fraction": 0.5})
    assert measure_group_spread([1.0, 2.0], [0, 1]) == {}
    assert measure_group_spread([], []) == {}
    assert all(math.isnan(each) for each in measure_group_spread([1.0, math.nan], [0, 0]).values())


def test_components_are_means_over_the_episodes_that_have_them():
    found = average_reward_components([{"run": 2.0, "cost": -1.0}, {"run": 4.0}, {"cost": math.nan}])
    assert found.pop("reward.component.run") == 3.0
    assert math.isnan(found.pop("reward.component.cost"))
    assert found == {}
    assert average_reward_components([]) == {}
