from __future__ import annotations

import gymnasium as gym
import numpy as np
import pytest

from tests.surveying import survey_before
from tests.trials import trials
from tests.worlds import box, changed, discrete, sweep, world
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.action.half_range_dead import half_range_dead

PARTS = ("near", "far", "near_reward", "far_reward")


def clipped(dimension=0, lower=True, states=6, **given):
    """A dimension one half of which does what the middle does."""
    whole = sweep(dimension, states=states)
    dead = whole.positions < 0 if lower else whole.positions > 0
    parts = {name: np.where(dead, 0.0, getattr(whole, name)) for name in PARTS}
    return sweep(dimension, states=states, **(parts | given))


def arm(*sweeps, **fields):
    return changed(world(), sweeps=sweeps, action=box(len(sweeps), -1.0, 1.0), **fields)


def sick():
    return [
        arm(clipped()),
        arm(clipped(lower=False)),
        arm(clipped(0), clipped(1)),
        # an engine that is off below zero beside one that is not
        arm(clipped(0), sweep(1)),
    ]


def healthy():
    resting = sweep(**{name: np.zeros((6, 5)) for name in PARTS})
    paid = clipped(near_reward=0.01 * np.ones((6, 5)))
    walled = clipped()
    walled.far[0] = 0.5
    return [
        world(),
        # all of it is dead: that is ACT102's
        arm(resting),
        # one half costs something
        arm(paid),
        # a wall in most states, and not in one
        arm(walled),
        changed(world(), sweeps=(clipped(),), action=discrete(5)),
    ]


class Upwards(gym.ActionWrapper):
    """Clips torques at zero."""

    def action(self, action):
        return np.clip(action, 0.0, 2.0)


def ask(make):
    return half_range_dead.rule.ask(survey_before("one changed action", make, steps=500, episodes=3))


def test_a_clip_at_zero_is_found_and_the_whole_range_is_right():
    answer = ask(lambda: Upwards(gym.make("Pendulum-v1")))
    assert isinstance(answer, Finding)
    assert answer.severity is Level.WARN
    assert "The lower half of the range of action[0] does exactly what the middle does" in answer.message
    assert ask(lambda: gym.make("Pendulum-v1")) is None
    assert ask(lambda: gym.make("MountainCarContinuous-v0")) is None


def test_one_of_several_is_worth_knowing_only():
    answer = half_range_dead.rule.ask(arm(clipped(0), sweep(1)))
    assert answer.severity is Level.INFO
    assert "1 of 2 dimensions" in answer.message


def test_five_states_are_asked_for():
    assert isinstance(half_range_dead.rule.ask(arm(clipped(states=4))), CannotTell)


class Rescaled(gym.ActionWrapper):
    """Takes -1 to 1 and passes on a range of torques."""

    def __init__(self, low, high):
        super().__init__(gym.make("Pendulum-v1"))
        self.low, self.high = low, high
        self.action_space = gym.spaces.Box(-1.0, 1.0, (1,), np.float32)

    def action(self, action):
        return (self.low + (self.high - self.low) * (action + 1.0) / 2.0).astype(np.float32)


@pytest.mark.parametrize(("low", "found"), [(0.0, True), (-2.0, False), (-1.0, False)])
def test_a_wrapper_that_passes_on_one_half_of_the_torques(low, found):
    seen = survey_before("members", lambda: Rescaled(low, 2.0), steps=400, episodes=2)
    answer = half_range_dead.rule.ask(seen)
    assert isinstance(answer, Finding) is found
    assert not found or "`Rescaled`" in answer.message


def filled(*, dead=True):
    """A store that is full in most states, where nothing shows; elsewhere the upper half does what the middle does."""
    part = clipped(lower=False, states=8)
    for name in PARTS:
        getattr(part, name)[:5] = 0.0

    def step(state, action):
        flow = min(float(action[0]), 0.0) if dead else float(action[0])
        return np.clip(state + flow, -3.0, 3.0), 0.0

    return arm(part, trials=trials(step, lambda rng: rng.uniform(-2, 2, 1)))


def test_states_in_which_nothing_shows_are_left_to_single_actions():
    assert half_range_dead.rule.ask(filled()).severity is Level.WARN
    # only full stores were swept, and elsewhere both halves act
    assert half_range_dead.rule.ask(filled(dead=False)) is None
    assert half_range_dead.rule.ask(changed(filled(), trials=None)) is None
