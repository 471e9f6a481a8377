from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import world
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules.observation.unfilled_column import unfilled_column


class Archer(gym.Env):
    """Arrows against the wind; `fill` says what the first column shows, `by_wind` whether the wind counts."""

    observation_space = gym.spaces.Box(-1.0, 1.0, (3,), np.float64)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, fill="nothing", by_wind=1.0, late=False):
        self.fill, self.by_wind, self.late = fill, by_wind, late

    def see(self):
        first = {"nothing": 0.0, "wind": self.wind, "noise": self.np_random.uniform(-1, 1)}[self.fill]
        return np.array([first, self.tilt, self.left / 20])

    def draw(self):
        self.wind, self.tilt = self.np_random.uniform(-0.8, 0.8), self.np_random.uniform(-0.2, 0.2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.left = 20
        self.draw()
        return self.see(), {}

    def step(self, action):
        if self.late:  # chance that nobody can know before
            self.draw()
        miss = abs(float(action[0]) + self.by_wind * self.wind + self.tilt)
        self.left -= 1
        self.draw()
        return self.see(), 1.0 - miss, self.left == 0, False, {}


def survey(**given):
    return survey_before("exchanged attributes", lambda: Archer(**given), steps=500, episodes=20)


def sick():
    return [survey()]


def healthy():
    return [
        survey(fill="wind"),
        # hidden, but no place is kept for it
        survey(fill="noise"),
        # a column without content beside what does not matter, and beside what is drawn after the action
        survey(by_wind=0.0),
        survey(late=True),
    ]


def test_it_names_the_attribute():
    answer = unfilled_column.rule.ask(sick()[0])
    assert isinstance(answer, Finding)
    assert "observation[0] is 0 in all" in answer.message
    assert "`wind` stands in no column" in answer.message


def test_what_is_held_must_be_known():
    assert isinstance(unfilled_column.rule.ask(world()), CannotTell)
