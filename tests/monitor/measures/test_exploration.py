from __future__ import annotations

import math

import numpy as np
import pytest

from tests.monitor.measures import cases
from weaklink.collect.monitor.measures.exploration import (
    action_std,
    entropy,
    relative_action_std,
    relative_entropy,
    summarise_action_spread,
)


@cases.each_shape
def test_entropies_agree_with_plain_loops(shape):
    entropies = np.random.default_rng(0).random(shape)
    slow = cases.mean(cases.flat(entropies))
    assert entropy(entropies) == pytest.approx(slow)
    assert relative_entropy(entropies, math.log(4)) == pytest.approx(slow / math.log(4))


def test_entropies_by_hand():
    assert relative_entropy([math.log(2), 0.0], math.log(2)) == 0.5
    assert relative_entropy([0.0], 0.0) is None
    assert relative_entropy([], 1.0) is None
    assert math.isnan(entropy([1.0, math.nan]))
    assert math.isnan(relative_entropy([1.0, math.inf], 1.0))


@pytest.mark.parametrize("shape", [(3,), (10, 3), (8, 4, 2), (1,)], ids=str)
def test_the_spread_of_actions_agrees_with_plain_loops(shape):
    deviations = np.random.default_rng(1).random(shape)
    rows = deviations.reshape(-1, shape[-1])
    slow = [cases.mean([float(row[dimension]) for row in rows]) for dimension in range(shape[-1])]
    found = summarise_action_spread(deviations)
    assert action_std(deviations).tolist() == pytest.approx(slow)
    assert found.pop("exploration.action_std") == pytest.approx(cases.mean(slow))
    assert found.pop("exploration.action_std_min") == pytest.approx(min(slow))
    assert found == pytest.approx({f"exploration.action_std.{number}": each for number, each in enumerate(slow)})


def test_the_spread_relative_to_the_range():
    assert relative_action_std([[0.1, 3.0], [0.3, 5.0]], [2.0, 8.0]).tolist() == pytest.approx([0.1, 0.5])
    assert relative_action_std([0.5, 1.0], 2.0).tolist() == [0.25, 0.5]
    assert relative_action_std([0.5, 1.0], [1.0, 2.0, 3.0]) is None
    assert relative_action_std([0.5, 1.0], [1.0, math.inf]) is None
    assert relative_action_std([], 1.0) is None


def test_a_spread_that_is_none():
    found = summarise_action_spread([0.5, math.nan])
    assert math.isnan(found["exploration.action_std_min"])
    assert math.isnan(found["exploration.action_std"])
    assert found["exploration.action_std.0"] == 0.5
    assert summarise_action_spread([]) == {}
    assert summarise_action_spread(0.5)["exploration.action_std_min"] == 0.5
    assert len(summarise_action_spread(np.ones(500))) == 66
