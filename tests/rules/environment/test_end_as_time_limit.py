from __future__ import annotations

import gymnasium as gym

from tests.rules.environment.test_lost_value import survey
from weaklink.judge.rules.environment.end_as_time_limit import end_as_time_limit


class Kart(gym.Env):
    """Crashes terminate, time truncates."""

    time = place = 0

    def step(self, action):
        crashed = self.place > 3
        return self.place, 0.0, crashed, self.time > 9, {"crashed": crashed}


class Endless(Kart):
    """Nothing ends but the time; an opponent's crash is none of one's own."""

    def step(self, action):
        opponent_crashed = self.place > 3
        truncated = self.time > 9 or opponent_crashed
        return self.place, 0.0, False, truncated, {}


class Both(Kart):
    """A crash terminates and truncates."""

    def step(self, action):
        crashed = self.place > 3
        terminated = False
        if crashed:
            terminated = True
        return self.place, 0.0, terminated, bool(crashed) or self.time > 9, {}


class Bumped(Kart):
    def step(self, action):
        crashed = self.place > 3
        terminated = False
        truncated = bool(crashed) or self.time > 9
        return self.place, 0.0, terminated, truncated, {}


class Reached(Kart):
    def step(self, action):
        self.reached_goal = self.place > 3
        return self.place, float(self.reached_goal), False, self.reached_goal, {}


def sick():
    return [survey(Bumped()), survey(Reached())]


def healthy():
    return [survey(each()) for each in (Kart, Endless, Both)]


def test_it_names_what_ends():
    assert "`crashed` makes a step `truncated`" in end_as_time_limit.rule.ask(sick()[0]).message
    assert "`reached_goal` makes" in end_as_time_limit.rule.ask(sick()[1]).message
