from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.trials import trials
from tests.worlds import changed, world
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.action.heeded_now_and_then import heeded_now_and_then


def valves(times, length=80):
    heeded = np.isin(np.arange(length), times)
    tried = trials(lambda state, action: (state, 0.0), lambda rng: rng.normal(0, 1, 2), heeded=heeded)
    return changed(world(), trials=tried)


def sick():
    return [valves(range(0, 80, 25)), valves(range(3, 80, 10))]


def healthy():
    return [
        world(),
        valves(range(80)),
        # taking turns, a way to a fork, a cool-down after each shot, and what is heeded for a while
        valves(range(0, 80, 2)),
        valves([20, 21, 22, 40]),
        valves([0, 7, 20, 31, 44]),
        valves(range(0, 30, 10)),
        valves([], length=0),
    ]


def test_the_period_is_told():
    assert "once in 25 steps only, at 4 of 80 steps" in heeded_now_and_then.rule.ask(sick()[0]).message
    assert isinstance(heeded_now_and_then.rule.ask(valves([0, 50])), CannotTell)


def kept(*, later=False, paid=False):
    """A valve that is set by the first action; or one that can be set later in some states, or whose use is paid."""
    found = valves([0], length=57).trials
    rows, rewards = found.rows.copy(), found.rewards.copy()
    rows[0, 1] += 1.0
    rows[9, 1] += float(later)
    rewards[9, 1] += float(paid)
    return changed(world(), trials=changed(found, rows=rows, rewards=rewards))


def test_actions_that_are_heeded_at_the_first_step_alone_are_an_alarm():
    assert "at the first step of an episode alone" in heeded_now_and_then.rule.ask(kept()).message
    for other in (kept(later=True), kept(paid=True)):
        assert isinstance(heeded_now_and_then.rule.ask(other), CannotTell)


class Rink(gym.Env):
    """A rink on which the last move goes on with this chance, whatever is chosen."""

    observation_space = gym.spaces.Box(0.0, 20.0, (3,), np.float64)
    action_space = gym.spaces.Discrete(4)

    def __init__(self, slip):
        self.slip = slip

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.last = self.np_random.integers(0, 20, 2), int(self.np_random.integers(4))
        return np.array([*self.at, self.last], dtype=float), {}

    def step(self, action):
        self.last = int(action) if self.np_random.random() > self.slip else self.last
        self.at = np.clip(self.at + ((0, 1), (1, 0), (0, -1), (-1, 0))[self.last], 0, 20)
        return np.array([*self.at, self.last], dtype=float), -0.01, not self.at.any(), False, {}


class Drought(Rink):
    """Fields that may be watered, more or less, which keeps one of them from drying up with a small chance."""

    def step(self, action):
        lost = self.np_random.random(2) < 0.3 - 0.02 * int(action)
        self.at = np.clip(self.at - lost, 0, 20)
        return np.array([*self.at, 0.0]), float(self.at.sum()), not self.at.any(), False, {}


def test_actions_that_chance_replaces_are_an_alarm():
    def ask(make):
        limited = lambda: gym.wrappers.TimeLimit(make(), 60)  # noqa: E731
        answer = heeded_now_and_then.rule.ask(survey_before("short episodes", limited, steps=1000, episodes=20))
        return getattr(answer, "message", "")

    assert "heeded by chance" in ask(lambda: Rink(0.9))
    # a slip now and then, sticky moves, and a choice that changes the odds of something rare
    for healthy in (lambda: Rink(0.1), lambda: Rink(0.5), lambda: Drought(0.0), lambda: gym.make("FrozenLake-v1")):
        assert "by chance" not in ask(healthy)
