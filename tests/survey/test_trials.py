from __future__ import annotations

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from tests.survey.small import Slider, later, prepared
from weaklink.base.evidence.acting import ActionTrials
from weaklink.collect.survey.sampler import make_random_policy, play
from weaklink.collect.survey.trials import STATES, TIMES, try_actions


def tried(make, **plan) -> ActionTrials:
    session, environment = prepared(make, **plan)
    act = make_random_policy(environment.action, np.random.default_rng(0))
    played = play(session, environment, act, policy="random", steps=500, episodes=10, until=later(), keep=500)
    session.deterministic, session.random = True, played
    return try_actions(session, environment, played).get("trials")


class Valve(gym.Env):
    """A level that the action moves at every so-many-th step."""

    def __init__(self, every=1, ends=None):
        self.every, self.ends = every, ends
        self.observation_space = spaces.Box(-np.inf, np.inf, (1,), np.float64)
        self.action_space = spaces.Box(-1.0, 1.0, (1,), np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.clock, self.open = self.np_random.uniform(), 0, 0.0
        return np.array([self.level]), {}

    def step(self, action):
        if self.clock % self.every == 0:
            self.open = float(action[0])
        self.clock += 1
        self.level += self.open
        over = self.ends is not None and self.level > self.ends
        return np.array([self.level]), self.level, over, self.clock >= 200, {}


def test_each_action_is_one_step_from_the_same_state():
    found = tried(Slider)
    base, ends = found.actions[0], found.actions[1:5]
    assert ends.tolist() == [[-1, 0], [1, 0], [0, -1], [0, 1]]
    assert base.tolist() == [0, 0]
    assert found.swaps == ((0, 1, 5, 6),)
    assert found.actions[5:].tolist() == [[1, -1], [-1, 1]]
    assert len(found.seen) == STATES
    moved = found.rows - found.seen[:, None]
    assert np.allclose(moved, np.broadcast_to(found.actions, moved.shape))
    assert not len(found.heeded)


def test_when_actions_are_heeded_is_looked_at_where_they_seldom_are():
    assert not len(tried(Valve).heeded)
    heeded = tried(lambda: Valve(every=20)).heeded
    assert np.flatnonzero(heeded).tolist() == list(range(0, TIMES, 20))


def test_what_ends_the_episode_is_left_out():
    found = tried(lambda: Valve(ends=2.0))
    over = np.isnan(found.rewards)
    assert over.any()
    assert np.array_equal(over, np.isnan(found.rows).all(axis=2))
