from __future__ import annotations

from tests.worlds import box, changed, discrete, sweep, world
from weaklink.finding import CannotTell, Level
from weaklink.rules.action.no_effect import no_effect


def nothing(dimension=0):
    return sweep(dimension, near=0.0, far=0.0, near_reward=0.0 * sweep().near, far_reward=0.0 * sweep().far)


def sick():
    return [
        changed(world(), same_whatever_done=True, sweeps=(nothing(),)),
        changed(world(), same_whatever_done=True, sweeps=(), action=discrete(4)),
    ]


def healthy():
    return [
        world(),
        # one action is no choice
        changed(world(), same_whatever_done=True, sweeps=(), action=discrete(1)),
        changed(world(), same_whatever_done=True, sweeps=(), action=box(2, 0.5, 0.5)),
        # whole trajectories were too short to show what a sweep does show
        changed(world(), same_whatever_done=True),
    ]


def test_is_an_error():
    assert no_effect.rule.ask(sick()[0]).severity is Level.ERROR


def test_some_columns_of_a_wide_observation_are_no_proof():
    wide = changed(sick()[0], seen_columns=(0, 5, 9), observation=box(10))
    assert no_effect.rule.ask(wide).severity is Level.WARN


def test_not_compared_is_not_clean():
    assert isinstance(no_effect.rule.ask(changed(world(), same_whatever_done=None)), CannotTell)
    assert no_effect.rule.ask(world()) is None
