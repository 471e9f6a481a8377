from __future__ import annotations

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from tests.survey.small import Scripted, Slider, later, prepared
from tests.surveying import StepClock
from weaklink.base.stats import compare_means
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.search import MOST_INPUTS, make_linear_policies, search


def searched(make, **plan):
    session, environment = prepared(make, **plan)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=500, episodes=10, until=later(), keep=500)
    return search(session, environment, random, later()), random


def test_cart_pole_is_balanced():
    found, random = searched(lambda: gym.make("CartPole-v1"), steps=2000)
    assert found.returns.mean() > 5 * random.returns.mean()
    assert compare_means(found.returns, random.returns).better
    assert found.episodes == 10
    assert "linear policies" in found.told
    assert found.observations is not None


def test_a_continuous_task_is_improved():
    found, random = searched(Slider, steps=2000)
    assert found.returns.mean() > random.returns.mean() + random.returns.std()


def test_a_seed_decides_what_is_found():
    first, _ = searched(lambda: gym.make("CartPole-v1"), steps=300, seed=1)
    again, _ = searched(lambda: gym.make("CartPole-v1"), steps=300, seed=1)
    other, _ = searched(lambda: gym.make("CartPole-v1"), steps=300, seed=2)
    assert np.array_equal(first.rewards, again.rewards)
    assert np.array_equal(first.observations, again.observations)
    assert first.told == again.told
    assert not np.array_equal(first.observations[:20], other.observations[:20])


class Matches(gym.Env):
    """Eight numbers to be guessed at once: luck does not find them."""

    observation_space = spaces.Box(-1, 1, (1,), np.float64)
    action_space = spaces.Box(-1, 1, (8,), np.float64)
    wanted = np.array([0.8, -0.8, 0.5, -0.5, 0.9, -0.9, 0.0, 0.7])

    def reset(self, *, seed=None, options=None):
        return np.zeros(1), {}

    def step(self, action):
        return np.zeros(1), -float(((action - self.wanted) ** 2).sum()), True, False, {}


def test_it_gets_better_by_what_was_good():
    found, random = searched(Matches, steps=500)
    assert found.returns.mean() > -0.15
    assert random.returns.mean() < -4.0


class Corridor(gym.Env):
    """Right along a corridor of ten; only the table of positions tells where one is."""

    observation_space = spaces.Discrete(10, start=3)
    action_space = spaces.MultiDiscrete([2, 3], start=[1, 4])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place, self.clock = 0, 0
        return 3, {}

    def step(self, action):
        assert action in self.action_space
        self.clock += 1
        right = action[0] == 2 and action[1] == 5
        self.place = max(min(self.place + (1 if right else -1), 9), 0)
        return 3 + self.place, float(self.place), False, self.clock >= 15, {}


def test_choices_are_seen_and_done():
    found, random = searched(Corridor, steps=3000)
    assert found.returns.mean() > 3 * max(random.returns.mean(), 1.0)
    assert set(found.actions[:, 0]) <= {1.0, 2.0}
    assert set(found.actions[:, 1]) <= {4.0, 5.0, 6.0}


def test_it_stops_at_what_the_environment_calls_solved():
    class Solved(Slider):
        def step(self, action):
            seen, _, *rest = super().step(action)
            return seen, 1.0, *rest

    session, environment = prepared(Solved, steps=10_000)
    environment.facts["reward_threshold"] = 5.0
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=100, episodes=3, until=later(), keep=100)
    found = search(session, environment, random, later())
    assert found.told.startswith("the best of 32 ")


def test_wide_observations_are_mixed_into_a_few_inputs():
    class Wide(Scripted):
        observation_space = spaces.Box(-1000, 1000, (500,), np.float64)

        def step(self, action):
            *rest, terminated, truncated, info = super().step(action)
            return rest[0], float(action[0]), terminated, truncated, info

        def seen(self, action):
            return np.full(500, float(self.clock))

    session, environment = prepared(lambda: Wide((8,)))
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=100, episodes=3, until=later(), keep=100)
    linear = make_linear_policies(environment, random)
    assert (linear.inputs, linear.outputs) == (MOST_INPUTS, 1)
    found = search(session, environment, random, later())
    assert found.returns.mean() > 7.0


def test_where_nothing_can_be_seen_nothing_is_searched():
    class Text(Scripted):
        observation_space = spaces.Text(5)

    session, environment = prepared(Text)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=1, episodes=1, until=later(), keep=10)
    assert search(session, environment, random, later()) is None


def test_it_keeps_its_time(monkeypatch):
    StepClock.rule_over(monkeypatch)
    session, environment = prepared(lambda: StepClock(gym.make("CartPole-v1")), steps=10**7)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=100, episodes=3, until=later(), keep=100)
    environment.facts["reward_threshold"] = 1e9
    began = StepClock.now
    assert search(session, environment, random, later(1.5)) is not None
    assert 0.8 < StepClock.now - began < 2.0
