"""Wrappers that take something from the observation, on real ones around real environments."""

from __future__ import annotations

import functools

import gymnasium as gym
import numpy as np
import pytest

from tests.rules.test_wrappers import Half, listened
from tests.worlds import box, changed, world
from weaklink.base.evidence.survey import Survey
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OBS126")
pytestmark = pytest.mark.filterwarnings("default")


WAYS = {
    "cut below zero": lambda seen: seen.clip(0.0, 1.0),
    "over infinite bounds": lambda seen: seen / np.array([4.8, np.inf, 0.42, np.inf], np.float32),
    "far out": lambda seen: (seen / 0.5).clip(-5.0, 5.0),
    "in bins": lambda seen: np.digitize(seen, [-0.1, 0.1]).astype(np.float32),
    "squashed": np.tanh,
}


class Changed(gym.ObservationWrapper):
    """Observations by the way that is named."""

    def __init__(self, env, way):
        super().__init__(env)
        self.way = WAYS[way]

    def observation(self, observation):
        return self.way(observation)


@functools.cache
def survey(way: str = "") -> Survey:
    inside = gym.make("CartPole-v1")
    layers = listened(Changed(inside, way) if way in WAYS else Half(inside)).layers
    return changed(world(), observation=box(4), layers=layers)


def sick():
    return [survey("cut below zero"), survey("over infinite bounds"), survey("half")]


def healthy():
    return [survey("far out"), survey("in bins"), survey("squashed"), world()]


def test_says_which_columns_are_lost_and_how():
    cut, divided, half = (RULE.ask(case) for case in sick())
    assert "4 of 4 observation columns" in cut.message
    assert "are cut off at a bound in up to" in cut.message
    assert "2 of 4 observation columns that change inside of the wrapper `Changed` never change" in divided.message
    assert "observation[2] to observation[3]" in half.message
    assert {each.link for each in (cut, divided, half)} == {Link.OBSERVATION}
