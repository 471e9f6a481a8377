from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.rules.environment.test_lost_value import survey
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.kept_by_reference import kept_by_reference


class Boat(gym.Env):
    """Places that are kept as they should be."""

    def __init__(self):
        self.place, self.speed, self.clock = np.zeros(2), np.zeros(2), 0.0

    def see(self):
        return self.place.copy()

    def step(self, action):
        before, began = self.place.copy(), self.clock
        self.place += 0.1 * np.asarray(action)
        self.clock += 1.0
        gained = np.linalg.norm(before) - np.linalg.norm(self.place)
        shorter = self.place
        shorter[0] = 0.0
        old = self.speed
        self.speed = self.speed + 1.0
        late = self.clock
        self.clock += 1.0
        return self.see(), float(gained + old.sum() + late - began), False, False, {}


class Still(Boat):
    def step(self, action):
        before = self.place
        self.place += 0.1 * np.asarray(action)
        gained = np.linalg.norm(before) - np.linalg.norm(self.place)
        reward = gained - 0.01
        return self.see(), float(reward), False, False, {}


class Unmoved(Boat):
    """The speed that is shown is always zero."""

    def step(self, action):
        self.last = self.place
        self.place[:] = np.clip(self.place + action, -1.0, 1.0)
        shown = np.concatenate([self.place, self.place - self.last])
        return shown, 0.0, False, False, {}


class Apart(Boat):
    """In a method that a step calls."""

    def move(self, action):
        old = self.place
        self.place *= 0.9
        return old - self.place

    def step(self, action):
        return self.see(), -float(np.abs(self.move(action)).sum()), False, False, {}


def sick():
    return [survey(each()) for each in (Still, Unmoved, Apart)]


def healthy():
    return [survey(Boat())]


def test_the_link_is_that_of_what_follows_from_it():
    found = [kept_by_reference.rule.ask(one) for one in sick()]
    assert [one.link for one in found] == [Link.REWARD, Link.OBSERVATION, Link.ENVIRONMENT]
    assert "`before` is given an array in `step` without a copy" in found[0].message
    assert "`self.last`" in found[1].message
