from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces

from tests.survey.small import Slider, later, prepared
from weaklink.base.stats import compare_means
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.tabular import play_tabular


def learned(make, **plan):
    session, environment = prepared(make, **plan)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=500, episodes=100, until=later(), keep=500)
    return play_tabular(session, environment, random, later()), random


def test_the_lake_is_crossed_as_often_as_can_be():
    """The best policy reaches the goal in about 0.74 of the episodes of 100 steps."""
    found, random = learned(lambda: gym.make("FrozenLake-v1"), episodes=600, gamma=0.9999)
    assert found.returns.mean() == pytest.approx(0.74, abs=0.06)
    assert random.returns.mean() < 0.1
    assert "dynamic programming" in found.told


@pytest.mark.parametrize(("name", "best"), [("CliffWalking-v1", -13.0), ("Taxi-v4", 7.9)])
def test_listed_transitions_are_solved(name, best):
    found, _ = learned(lambda: gym.make(name, max_episode_steps=200), episodes=60)
    assert found.returns.mean() == pytest.approx(best, abs=1.0)


def test_a_table_is_learnt_where_none_is_listed():
    found, random = learned(lambda: gym.make("Blackjack-v1"), steps=6_000, episodes=600)
    assert "Q-learning" in found.told
    assert compare_means(found.returns, random.returns).better
    assert found.returns.mean() > random.returns.mean() + 0.1


class Track(Slider):
    """One of the carts, pushed left or right by choice."""

    def __init__(self):
        super().__init__(gains=(0.5, 0.0))
        self.action_space = spaces.Discrete(2, start=1)

    def step(self, action):
        return super().step(np.array([2.0 * action - 3.0, 0.0]))


def test_a_few_numbers_are_put_into_bins():
    found, random = learned(Track, steps=3000)
    assert "Q-learning" in found.told
    assert compare_means(found.returns, random.returns).superiority > 0.7


def test_a_seed_decides_what_is_learnt():
    first, _ = learned(lambda: gym.make("Blackjack-v1"), steps=1000, episodes=50, seed=3)
    again, _ = learned(lambda: gym.make("Blackjack-v1"), steps=1000, episodes=50, seed=3)
    assert np.array_equal(first.rewards, again.rewards)
    assert np.array_equal(first.actions, again.actions)


def test_continuous_actions_and_pictures_have_no_table():
    assert learned(Slider)[0] is None

    class Picture(gym.Env):
        observation_space = spaces.Box(0, 255, (20, 20), np.uint8)
        action_space = spaces.Discrete(2)

        def reset(self, *, seed=None, options=None):
            return np.zeros((20, 20), np.uint8), {}

        def step(self, action):
            return np.zeros((20, 20), np.uint8), 1.0, True, False, {}

    assert learned(Picture)[0] is None


class Pairs(gym.Env):
    """The number to be told is seen; both count from where they begin."""

    observation_space = spaces.Discrete(4, start=2)
    action_space = spaces.Discrete(4, start=7)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(4))
        return 2 + self.place, {}

    def step(self, action):
        return 2 + self.place, float(action - 7 == self.place), True, False, {}


class Cashes(gym.Env):
    """1 at once and the end, or 0.6 three times; the end looks like the beginning."""

    observation_space = spaces.Discrete(3)
    action_space = spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        self.place = 0
        return 0, {}

    def step(self, action):
        if action == 0:
            return 0, 1.0, True, False, {}
        self.place += 1
        return self.place % 3, 0.6, self.place == 3, False, {}


def test_nothing_is_expected_after_the_end():
    found, _ = learned(Cashes, steps=1000, episodes=50)
    assert found.returns.mean() == pytest.approx(2.2), "0.6 twice, then 1"


def test_numbers_need_not_begin_with_zero():
    found, _ = learned(Pairs, steps=1000, episodes=50)
    assert found.returns.mean() == 1.0


@pytest.mark.parametrize(
    "listed",
    [
        None,
        {},
        {"gain": 1.0, "offset": 0.2},
        {0: {0: [(1.0, 0, 0.0, True)]}},
        {state: {action: ["west"] for action in range(4)} for state in range(4)},
        dict.fromkeys(range(4), 1.0),
    ],
    ids=["none", "empty", "gains", "too few", "words", "numbers"],
)
def test_another_thing_of_that_name_is_no_list_of_transitions(listed):
    class Named(Pairs):
        observation_space = spaces.Discrete(4)
        P = listed

        def reset(self, *, seed=None, options=None):
            observation, info = super().reset(seed=seed)
            return observation - 2, info

        def step(self, action):
            observation, *rest = super().step(action)
            return observation - 2, *rest

    found, _ = learned(Named, steps=1000, episodes=50)
    assert "Q-learning" in found.told
    assert found.returns.mean() == 1.0
