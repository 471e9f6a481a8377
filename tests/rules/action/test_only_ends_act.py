from __future__ import annotations

import gymnasium as gym
import numpy as np

from tests.surveying import survey_before
from tests.worlds import box, changed, sweep, world
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.action.only_ends_act import only_ends_act

PARTS = ("near", "far", "near_reward", "far_reward")


def cast(dimension=0, states=6, within=0.6):
    """A dimension that does nothing up to a part of its range."""
    positions = np.array([-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0])
    size = np.where(np.abs(positions) < within, 0.0, np.abs(positions)) * np.ones((states, 1))
    parts = {name: size.copy() for name in PARTS}
    still = np.zeros(size.shape, dtype=bool)
    return changed(sweep(dimension, states=states), values=positions, positions=positions, still=still, **parts)


def arm(*sweeps):
    return changed(world(), sweeps=sweeps, action=box(len(sweeps), -1.0, 1.0))


def sick():
    # a cast of every dimension, and of one of two
    return [arm(cast()), arm(cast(0), cast(1)), arm(cast(0), sweep(1))]


def healthy():
    one_sided = cast()
    one_sided.near[:, :3] = one_sided.far[:, :3] = 0.3
    resting = changed(cast(), **{name: np.zeros((6, 7)) for name in PARTS})
    # the whole range, a dead zone in the middle, an engine that is off on one side, and one that is not connected
    return [world(), arm(cast(within=0.2)), arm(one_sided), arm(cast(within=0.05)), arm(resting)]


class Whole(gym.ActionWrapper):
    """Casts torques to whole numbers of the largest one."""

    def action(self, action):
        return 2.0 * (action / 2.0).astype(int).astype(np.float32)


def ask(make):
    return only_ends_act.rule.ask(survey_before("one changed action", make, steps=500, episodes=3))


def test_a_cast_is_found_and_the_plain_pendulum_is_right():
    answer = ask(lambda: Whole(gym.make("Pendulum-v1")))
    assert isinstance(answer, Finding)
    assert answer.severity is Level.WARN
    assert "cast to whole numbers" in answer.message
    assert ask(lambda: gym.make("Pendulum-v1")) is None


def test_one_of_several_is_worth_knowing_only_and_states_are_asked_for():
    assert only_ends_act.rule.ask(arm(cast(0), cast(1, within=0.05))).severity is Level.INFO
    assert isinstance(only_ends_act.rule.ask(arm(cast(states=4))), CannotTell)
