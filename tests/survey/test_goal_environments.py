"""Goal environments in wrappers: their `compute_reward` is further in, and what SB3's checker says of it is true."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.spaces import Box, Dict
from gymnasium.wrappers import TimeLimit

from weaklink.adapters.gymnasium.environment import GymnasiumEnvironment

pytest.importorskip("stable_baselines3")
from weaklink.adapters.sb3.checker import list_complaints


class Reaching(gymnasium.Env):
    """A point on a line and the place to be."""

    bonus = 0.0

    def __init__(self):
        place = Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space = Dict({"observation": place, "achieved_goal": place, "desired_goal": place})
        self.action_space = Box(-1.0, 1.0, (1,), np.float32)

    def compute_reward(self, achieved, desired, info):
        return -np.linalg.norm(np.asarray(achieved) - np.asarray(desired), axis=-1)

    def see(self):
        here, there = (np.array([place], np.float32) for place in (self.here, self.there))
        return {"observation": here, "achieved_goal": here.copy(), "desired_goal": there}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.here, self.there = self.np_random.uniform(-1, 1, 2)
        return self.see(), {}

    def step(self, action):
        self.here = float(np.clip(self.here + 0.1 * action[0], -1, 1))
        seen = self.see()
        paid = float(self.compute_reward(seen["achieved_goal"], seen["desired_goal"], {}))
        return seen, paid + self.bonus, False, False, {}


def list_errors(env):
    return [one.text for one in list_complaints(GymnasiumEnvironment(env)) if one.level == "error"]


@pytest.mark.parametrize("wrap", [lambda env: env, lambda env: TimeLimit(env, 50)], ids=["bare", "wrapped"])
def test_a_goal_environment_is_not_accused_for_its_wrappers(wrap):
    assert not list_errors(wrap(Reaching()))


@pytest.mark.parametrize("wrap", [lambda env: env, lambda env: TimeLimit(env, 50)], ids=["bare", "wrapped"])
def test_a_reward_that_compute_reward_does_not_know_is_found(wrap):
    env = Reaching()
    env.bonus = 1.0
    assert any("compute_reward" in text for text in list_errors(wrap(env)))
