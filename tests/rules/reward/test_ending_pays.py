from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import changed, play, world
from weaklink.base.evidence.survey import TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell, Finding
from weaklink.judge.rules.reward.ending_pays import ending_pays


def driven(step, fine, *, ends=TERMINATED, limit=400):
    """Episodes of 10 to 60 steps that end with a fine, each step with a reward of about the one given."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(10, 60, 100)
    made = play(lengths=lengths, ends=ends)
    rewards = step + 0.1 * abs(step) * rng.random(len(made.rewards))
    rewards[made.starts + made.lengths - 1] = fine
    facts = {"max_episode_steps": limit} if limit else {}
    return changed(world(), plays={"random": changed(made, rewards=rewards)}, facts=facts)


def sick():
    return [driven(-0.5, -2.0), driven(-0.1, -1.0)]


def healthy():
    return [
        world(),
        # a goal ends what costs, and nothing is fined
        driven(-1.0, -1.0),
        driven(-1.0, 0.0),
        # a fine that is larger than all that an episode may cost
        driven(-0.1, -100.0),
        # staying alive pays
        driven(0.5, -2.0),
        # a time limit ends it
        driven(-0.5, -2.0, ends=TRUNCATED),
    ]


class Road(gym.Env):
    """A car that drifts off the road, where each step on it costs something."""

    observation_space = gym.spaces.Box(-9.0, 9.0, (1,), np.float64)
    action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def __init__(self, fine):
        self.fine = fine

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.offset = self.np_random.uniform(-1.0, 1.0)
        return np.array([self.offset]), {}

    def step(self, action):
        self.offset += 0.5 * float(action[0])
        off = abs(self.offset) > 3.0
        reward = self.fine if off else -0.1 - 0.1 * abs(self.offset)
        return np.array([self.offset]), reward, off, False, {}


def ask(fine):
    make = lambda: gym.wrappers.TimeLimit(Road(fine), 200)  # noqa: E731
    return ending_pays.rule.ask(survey_before("the same seed twice", make, steps=4000, episodes=60))


def test_a_road_that_is_better_left_and_its_healthy_twin():
    found = ask(-2.0)
    assert isinstance(found, Finding)
    assert "failing at once" in found.message
    assert ask(-200.0) is None


class Tank(gym.Env):
    """A level to be kept at a set point that random play only passes; an overflow is fined."""

    observation_space = gym.spaces.Box(0.0, 2.5, (2,), np.float64)
    action_space = gym.spaces.Box(0.0, 1.0, (1,), np.float32)

    def __init__(self, bonus=0.0):
        self.bonus = bonus

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.level, self.goal = self.np_random.uniform(1.2, 1.8), self.np_random.uniform(0.4, 0.8)
        return np.array([self.level, self.goal]), {}

    def step(self, action):
        self.level = max(self.level + 0.3 * (float(action[0]) - 0.4), 0.0)
        over = self.level > 2.0
        off = abs(self.level - self.goal)
        reward = -off - 5.0 * over if not self.bonus else -0.3 - 2.0 * over + self.bonus * (off < 0.02)
        return np.array([self.level, self.goal]), reward, over, False, {}


def test_a_set_point_and_a_bonus_that_random_play_only_passes():
    for bonus in (0.0, 0.5):
        make = lambda bonus=bonus: gym.wrappers.TimeLimit(Tank(bonus), 60)  # noqa: E731
        assert ending_pays.rule.ask(survey_before("the same seed twice", make, steps=4000, episodes=60)) is None


def test_no_time_limit_is_known():
    assert isinstance(ending_pays.rule.ask(driven(-0.5, -2.0, limit=0)), CannotTell)
