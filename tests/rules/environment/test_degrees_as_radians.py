from __future__ import annotations

import math

import gymnasium as gym
import numpy as np

from tests.rules.environment.test_lost_value import survey
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.degrees_as_radians import degrees_as_radians


class Boat(gym.Env):
    """A course in degrees that is converted wherever it is used."""

    def reset(self, *, seed=None, options=None):
        self.course = float(self.np_random.uniform(0, 360))
        return self.see(), {}

    def see(self):
        return np.array([np.sin(np.radians(self.course)), math.cos(self.course * np.pi / 180)])

    def step(self, action):
        self.course = (self.course + 10 * (action - 1)) % 360
        turned = math.radians(self.course)
        self.x = np.clip(self.x + math.cos(turned), -30, 30)
        lean = float(np.clip(action, -1, 1))
        return self.see(), math.tan(lean) + math.sin(self.x), False, False, {}


class Turning(Boat):
    def step(self, action):
        self.course = (self.course + 10 * (action - 1)) % 360
        self.x += math.cos(self.course)
        return self.see(), 0.0, False, False, {}


class Showing(Boat):
    def see(self):
        return np.array([np.sin(self.course), np.cos(self.course)])


class Steering(Boat):
    def step(self, action):
        steer, speed = float(np.clip(action[0], -30, 30)), 1.0
        self.x += speed * np.tan(steer)
        return self.see(), 0.0, False, False, {}


class Limited(Boat):
    """The largest angle is converted where it is declared, and what is made of it is told in degrees."""

    def __init__(self):
        self.most = np.deg2rad(25.0)
        self.shown = 25.0

    def step(self, action):
        steer = self.most * float(action)
        other = np.deg2rad(self.shown * action)
        self.x += np.tan(steer) + other
        return self.see(), np.rad2deg(self.most), False, False, {"back": np.deg2rad(np.rad2deg(steer))}


class Converting(Limited):
    def step(self, action):
        steer = np.deg2rad(self.most * action)
        self.x += np.tan(steer)
        return self.see(), 0.0, False, False, {}


def sick():
    return [survey(each()) for each in (Turning, Showing, Steering, Converting)]


def healthy():
    return [survey(each()) for each in (Boat, Limited)]


def test_what_is_converted_twice_is_said():
    message = degrees_as_radians.rule.ask(sick()[-1]).message
    assert "`self.most` is in radians already, and `step` converts it once more" in message


def test_what_is_turned_is_blamed():
    assert [degrees_as_radians.rule.ask(one).link for one in sick()] == [
        Link.ENVIRONMENT,
        Link.OBSERVATION,
        Link.ACTION,
        Link.ENVIRONMENT,
    ]
