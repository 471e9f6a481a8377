from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.rules.environment.test_lost_value import survey
from weaklink.base.loop import Link
from weaklink.judge.rules.environment.flag_not_cleared import flag_not_cleared


class Door(gym.Env):
    """Flags of all kinds that are right."""

    def __init__(self):
        self.open = self.found = False
        self.warned, self.alive, self.lit = False, True, False
        self.solved_once = False

    def see(self):
        return np.array([self.place, self.open, self.lit], np.float32)

    def close(self):
        self.open = False

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.close()
        self.place, self.found, self.alive = 0, False, True
        return self.see(), {}

    def step(self, action):
        self.lit = not self.lit
        self.place += 1
        if self.place == 3:
            self.open = True
        if self.place == 5:
            self.found, self.alive = True, False
        if not self.warned:
            self.warned = True
        if self.found:
            self.solved_once = True
        reward = 1.0 if self.found else 0.0
        return self.see(), reward, not self.alive, False, {"success": self.found}


class Whole(Door):
    """A reset that begins with everything."""

    def reset(self, *, seed=None, options=None):
        self.__init__()
        self.place = 0
        return self.see(), {}


class Left(Door):
    """The door is never closed again."""

    def close(self):
        pass


class Told(Door):
    def reset(self, *, seed=None, options=None):
        self.close()
        self.place, self.alive = 0, True
        return self.see(), {}

    def step(self, action):
        self.place += 1
        if self.place == 5:
            self.found = True
        return self.see(), 0.0, self.place == 9, False, {"success": self.found}


class Paid(Told):
    def step(self, action):
        self.place += 1
        reward = 0.0
        if self.place == 5 and not self.found:
            reward = 1.0
            self.found = True
        return self.see(), reward, self.place == 9, False, {}


class Over(Told):
    def step(self, action):
        if self.found:
            return self.see(), 0.0, True, False, {}
        self.place += 1
        if self.place == 5:
            self.found = True
        return self.see(), 0.0, False, False, {}


def sick():
    return [survey(each()) for each in (Left, Told, Paid, Over)]


def healthy():
    return [survey(each()) for each in (Door, Whole)]


def test_the_link_is_that_of_what_depends_on_it():
    found = [flag_not_cleared.rule.ask(one) for one in sick()]
    assert [one.link for one in found] == [Link.OBSERVATION, Link.EVALUATION, Link.REWARD, Link.ENVIRONMENT]
    assert "`step` sets `self.open` (line " in found[0].message
    assert "on which the info depends" in found[1].message
    assert "on which the end of the episode depends" in found[3].message
