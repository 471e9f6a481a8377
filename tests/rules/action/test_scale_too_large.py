from __future__ import annotations

import msgspec
import numpy as np

from tests.worlds import box, changed, discrete, sweep, world
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.action.scale_too_large import scale_too_large

PLACES = np.array([-1.0, -0.5, -0.1, 0.0, 0.1, 0.5, 1.0])


def shaped(curve, dimension=0, states=8, places=PLACES, later=None):
    """A dimension whose effect at once, and later, is a curve over its range."""
    scale = np.linspace(0.5, 1.5, states)[:, None]
    near = np.abs(curve(places))[None, :] * scale
    far = near if later is None else np.abs(later(places))[None, :] * scale
    return swept(dimension, places, 0.1 * near, far)


def swept(dimension, places, near, far):
    fields = {
        "values": places,
        "positions": places,
        "near": near,
        "far": far,
        "near_reward": near,
        "far_reward": far,
        "still": np.zeros(near.shape, dtype=bool),
        "motion": np.ones(len(near)),
    }
    return msgspec.structs.replace(sweep(dimension), **fields)


def clipped(at):
    return lambda place: np.clip(place / at, -1, 1)


def straight(place):
    return place


def arm(*sweeps, **fields):
    return changed(world(), sweeps=sweeps, action=box(len(sweeps), -1.0, 1.0), **fields)


def sick():
    return [
        arm(shaped(clipped(0.1))),
        arm(shaped(np.sign)),
        arm(*(shaped(clipped(0.05), dimension) for dimension in range(4))),
        # three of four
        arm(shaped(straight, 0), *(shaped(clipped(0.1), dimension) for dimension in (1, 2, 3))),
        # one of two, and the other is a switch
        arm(shaped(clipped(0.1)), changed(shaped(straight, 1), alike=((0, 1, 2, 3), (4, 5, 6)))),
        # one of two, but full force one way, none, or full force the other
        arm(shaped(straight), changed(shaped(np.sign, 1), alike=((0, 1, 2), (4, 5, 6)))),
        arm(shaped(clipped(0.5))),
        arm(shaped(np.sign, places=np.linspace(-1, 1, 5))),
    ]


def healthy():
    return [
        world(),
        arm(shaped(straight)),
        arm(shaped(lambda place: place**3)),
        # an engine that is off below half, or idles
        arm(shaped(lambda place: np.where(np.abs(place) > 0.5, place, 0.0))),
        arm(shaped(lambda place: np.where(place > 0, 0.5 + 0.5 * place, 0.0))),
        # an actuator that moves at a limited rate: the same at once, not later
        arm(shaped(np.sign, later=straight)),
        # all falls over whatever is done: the same later, not at once
        arm(shaped(straight, later=np.sign)),
        # an effect that is none
        arm(shaped(lambda place: 1e-6 * np.sign(place)), shaped(straight, 1)),
        changed(world(), action=discrete(5), sweeps=(shaped(np.sign),)),
    ]


def test_says_where_in_the_range():
    answer = scale_too_large.rule.ask(arm(shaped(clipped(0.1))))
    assert answer.severity is Level.WARN
    assert answer.message == (
        "At 0.1 of its range the action has 1.00 times its effect at the end (limit 0.9), in 1 of 1 "
        "continuous dimensions: action[0]."
    )


def test_half_of_the_range_is_worth_knowing_only():
    assert scale_too_large.rule.ask(arm(shaped(clipped(0.5)))).severity is Level.INFO
    coarse = arm(shaped(np.sign, places=np.linspace(-1, 1, 5)))
    assert scale_too_large.rule.ask(coarse).severity is Level.INFO


def test_the_knees_of_a_walker_are_worth_knowing_only():
    walker = arm(shaped(straight, 0), shaped(np.sign, 1), shaped(straight, 2), shaped(np.sign, 3))
    answer = scale_too_large.rule.ask(walker)
    assert answer.severity is Level.INFO
    assert "action[1], action[3]" in answer.message


def test_most_states_have_to_show_it():
    mixed = shaped(np.sign)
    near = mixed.near.copy()
    near[:3] = 0.1 * np.abs(PLACES)
    assert scale_too_large.rule.ask(arm(swept(0, PLACES, near, mixed.far))) is None


def test_few_states_are_too_few():
    assert isinstance(scale_too_large.rule.ask(arm(shaped(np.sign, states=2))), CannotTell)


def test_full_force_either_way_is_an_alarm_in_one_dimension_and_a_gripper_is_not():
    servo = changed(shaped(np.sign, 1), alike=((0, 1, 2), (4, 5, 6)))
    answer = scale_too_large.rule.ask(arm(shaped(straight), servo))
    assert answer.severity is Level.WARN
    assert "in 1 of 2 continuous dimensions: action[1]" in answer.message
    gripper = changed(shaped(np.sign, 1), alike=((0, 1, 2, 3), (4, 5, 6)))
    resting = shaped(np.sign, 1)  # a knee at its limit: nearly the same, and never exactly
    for other in (gripper, resting):
        assert scale_too_large.rule.ask(arm(shaped(straight), other)).severity is Level.INFO
