"""Columns that are no part of the state hide no fault of those that are: a clock, and the noise of a sensor."""

from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from weaklink.base.finding import Finding
from weaklink.judge.rules._foreign import mark_foreign
from weaklink.judge.rules.environment.frozen_reset import frozen_reset
from weaklink.judge.rules.observation.stale_observation import stale_observation


class Slide(gym.Env):
    """A place on a line that is pushed along it; late, it is seen as it was before the step."""

    observation_space = gym.spaces.Box(-50.0, 50.0, (1,), np.float64)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, late=False, frozen=False):
        self.late, self.frozen = late, frozen

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        place = self.np_random.uniform(-5.0, 5.0)
        self.place = 1.0 if self.frozen and seed is None else place
        return np.array([self.place]), {}

    def step(self, action):
        before, self.place = self.place, self.place + float(action[0])
        return np.array([before if self.late else self.place]), -abs(self.place), abs(self.place) > 20.0, False, {}


class Beside(gym.ObservationWrapper):
    """A clock of the episode, and noise."""

    def __init__(self, env):
        super().__init__(env)
        self.observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float64)
        self.noise = np.random.default_rng(0)

    def reset(self, *, seed=None, options=None):
        self.now = -1
        if seed is not None:
            self.noise = np.random.default_rng(seed)
        return super().reset(seed=seed, options=options)

    def observation(self, seen):
        self.now += 1
        return np.array([*seen, self.now / 100.0, self.noise.normal()])


def ask(found, beside=True, **given):
    def make():
        env = Slide(**given)
        return gym.wrappers.TimeLimit(Beside(env) if beside else env, 60)

    answer = found.rule.ask(survey_before("exchanged attributes", make, steps=3000, episodes=20))
    return answer.message if isinstance(answer, Finding) else ""


@pytest.mark.parametrize("beside", [False, True])
def test_what_is_seen_late_is_told_beside_a_clock_and_noise(beside):
    assert "one step late" in ask(stale_observation, beside, late=True)
    assert not ask(stale_observation, beside)


@pytest.mark.parametrize("beside", [False, True])
def test_a_start_that_is_always_the_same_without_a_seed_is_told_beside_noise(beside):
    assert "without a seed, every episode starts the same" in ask(frozen_reset, beside, frozen=True)
    assert not ask(frozen_reset, beside)


def test_what_follows_from_the_state_is_part_of_it():
    rng = np.random.default_rng(0)
    times = np.tile(np.arange(50), 40)
    walk = np.cumsum(rng.normal(size=2000))
    noise = rng.normal(size=2000)
    columns = {
        "clock": np.sin(times / 7.0),
        "noise": noise,
        "walk": walk,
        "noisy walk": walk + 5.0 * rng.normal(size=2000),
        "its change": np.diff(walk, prepend=0.0),
        "code": rng.integers(0, 5, 2000).astype(float),
        "still": np.ones(2000),
    }
    marked = dict(zip(columns, mark_foreign(np.column_stack([*columns.values()]), times), strict=True))
    assert [name for name, foreign in marked.items() if foreign] == ["clock", "noise"]
