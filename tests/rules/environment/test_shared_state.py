from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.rules.environment.test_nondeterministic import compared, drawing
from tests.surveying import survey_before
from tests.worlds import world
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.environment.shared_state import shared_state

KINDS = ("fresh", "repeated", "after_play", "in_turn")


def sick():
    return [
        world(comparisons=compared("in_turn", kinds=KINDS)),
        world(comparisons=compared("in_turn", kinds=KINDS, differs_at=0)),
        world(comparisons=compared("in_turn", kinds=KINDS), resets=drawing("numpy.random")),
    ]


def healthy():
    return [
        world(),
        world(comparisons=compared(kinds=KINDS)),
        # nothing can be said where the same seed differs anyway
        world(comparisons=compared(*KINDS, kinds=KINDS)),
        world(comparisons=compared("in_turn", kinds=KINDS), facts={"nondeterministic": True}),
    ]


class Walk(gym.Env):
    """A walk on a line whose place is an attribute of the instance."""

    action_space = gym.spaces.Discrete(2)
    observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float32)

    def __init__(self):
        self.places = {}

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.places["me"] = self.np_random.normal(size=2)
        return self.places["me"].astype(np.float32), {}

    def step(self, action):
        self.places["me"] = self.places["me"] + (2 * int(action) - 1) * 0.1 + self.np_random.normal(0, 0.01, 2)
        over = bool(abs(self.places["me"][0]) > 3)
        return self.places["me"].astype(np.float32), float(-abs(self.places["me"][0])), over, False, {}


class WalkOfAll(Walk):
    """The same with one dict for all instances."""

    world = {}  # noqa: RUF012  the fault itself

    def __init__(self):
        self.places = self.world


def ask(make):
    return shared_state.rule.ask(survey_before("other actions", make, steps=300, episodes=5))


def test_state_of_the_class_is_found_and_state_of_the_instance_is_not():
    answer = ask(WalkOfAll)
    assert isinstance(answer, Finding)
    assert answer.severity is Level.ERROR
    assert "3 of 3 comparisons" in answer.message
    assert ask(Walk) is None


@pytest.mark.parametrize("name", ["CartPole-v1", "Taxi-v4", "Pendulum-v1"])
def test_instances_of_real_environments_leave_each_other_alone(name):
    assert ask(lambda: gym.make(name)) is None


def test_one_object_for_all_is_not_compared_with_itself():
    only = gym.make("CartPole-v1")
    assert isinstance(ask(lambda: only), CannotTell)


def test_a_shared_generator_is_info():
    answer = shared_state.rule.ask(world(comparisons=compared("in_turn", kinds=KINDS), resets=drawing("numpy.random")))
    assert answer.severity is Level.INFO
    assert "numpy's global generator" in answer.message
