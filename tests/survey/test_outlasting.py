from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.survey.small import later, prepared
from weaklink.base.evidence.survey import TERMINATED
from weaklink.collect.survey.outlasting import outlast_failures
from weaklink.collect.survey.sampler import make_random_policy, play


class Rally(gym.Env):
    """Every fifth step one of two sides is the right one: who misses it is out, and after 82 steps it is over."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(0.0, 82.0, (2,), np.float32)

    def __init__(self, swapped, sides=2):
        self.swapped, self.sides = swapped, sides

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.side, self.time = int(self.np_random.integers(self.sides)), 0
        return np.array([self.side, 0], np.float32), {}

    def step(self, action):
        self.time += 1
        missed = self.time % 5 == 0 and action != self.side
        self.side = int(self.np_random.integers(self.sides)) if self.time % 5 == 0 else self.side
        ends = (missed, self.time >= 82)
        return np.array([self.side, self.time], np.float32), 0.0, *(ends[::-1] if self.swapped else ends), {}


def outlasted(**given):
    session, environment = prepared(lambda: Rally(**given))
    session.deterministic = True
    act = make_random_policy(environment.action, np.random.default_rng(0))
    random = play(session, environment, act, policy="random", steps=200, episodes=40, until=later(), keep=0)
    return outlast_failures(session, environment, random).get("outlasted")


def test_courses_are_made_to_last_where_all_episodes_are_truncated_at_several_steps():
    assert outlasted(swapped=True) == ((82, TERMINATED),) * 3
    assert outlasted(swapped=False) is None


def test_what_cannot_be_outlasted_is_left():
    assert outlasted(swapped=True, sides=9) == ()
