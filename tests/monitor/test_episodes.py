"""Episodes between two rows: few are worked out in plain numbers, as arrays would have it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from weaklink.collect.monitor.episodes import FEW, EpisodeTally, spread_of
from weaklink.collect.monitor.measures import summarise_distribution


@pytest.mark.parametrize("count", [2, 3, 5, 20, 41, FEW, FEW + 1, 500])
def test_few_numbers_are_spread_as_an_array_is(count):
    values = np.random.default_rng(count).normal(size=count).tolist()
    assert spread_of(values) == pytest.approx(summarise_distribution(np.asarray(values)))


def test_a_return_that_is_no_number_stays_one():
    assert math.isnan(spread_of([1.0, math.nan, 3.0]).std)


def test_a_row_says_how_many_episodes_it_stands_for():
    episodes = EpisodeTally()
    for number in (1.0, 2.0, 6.0):
        episodes.add(number, 10 * number, {"speed": 2 * number})
    row = episodes.taken()
    assert (row["task.episodes"], row["reward.episode_return"], row["task.episode_length"]) == (3.0, 3.0, 30.0)
    assert (row["reward.component.speed"], row["task.episode_length_median"]) == (6.0, 20.0)
    assert episodes.taken() == {}
