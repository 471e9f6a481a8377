from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.survey.small import prepared
from weaklink.collect.survey.comparisons import compare_instances
from weaklink.collect.survey.lasting import LONG, find_lasting_courses
from weaklink.collect.survey.sampler import make_random_policy, play


def courses(make):
    session, environment = prepared(make)
    labels = [column.label for column in environment.observation.columns]
    compare_instances(session, environment, labels)
    act = make_random_policy(environment.action, session.rng)
    random = play(session, environment, act, policy="random", steps=100, episodes=20, until=session.left(), keep=100)
    return find_lasting_courses(session, environment, random)


class Narrow(gym.Env):
    """A path with one right turn of four at each step: every other one ends the episode, or each, if doomed."""

    action_space = gym.spaces.Discrete(4)
    observation_space = gym.spaces.Box(0.0, 3.0, (1,), np.float32)

    def __init__(self, doomed=False):
        self.doomed = doomed

    def look(self):
        self.right = int(self.np_random.integers(4))
        return np.array([self.right], dtype=np.float32)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 5
        return self.look(), {}

    def step(self, action):
        self.left -= 1
        over = action != self.right or (self.doomed and self.left <= 0)
        return self.look(), float(not over), bool(over), False, {}


def test_a_path_that_random_play_leaves_at_once_is_followed():
    assert float(np.median(courses(Narrow)["lasting"])) == LONG


def test_an_end_that_no_action_avoids_is_not_put_off():
    assert max(courses(lambda: Narrow(doomed=True))["lasting"]) <= 5


def test_a_pole_that_stands_longer_by_chance_is_not_asked():
    assert courses(lambda: gym.make("CartPole-v1")) == {}


def test_limits_that_the_start_violates_leave_nothing():
    def make():
        env = gym.make("CartPole-v1")
        env.unwrapped.theta_threshold_radians *= 2 * np.pi / 360
        return env

    assert float(np.median(courses(make)["lasting"])) < LONG
