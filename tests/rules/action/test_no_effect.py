from __future__ import annotations

import msgspec

from tests.worlds import box, changed, discrete, play, sweep, world
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.action.no_effect import no_effect


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
    assert isinstance(no_effect.rule.ask(changed(world(), same_whatever_done=None, sweeps=())), CannotTell)
    assert no_effect.rule.ask(changed(world(), same_whatever_done=None)) is None
    assert no_effect.rule.ask(world()) is None


def test_no_effect_from_any_state_is_a_warning_where_random_play_agrees():
    survey = changed(world(), sweeps=(nothing(),))
    idle = play("random")  # its observations wander whatever the actions are
    assert no_effect.rule.ask(changed(survey, plays={"random": idle})).severity is Level.WARN
    after = idle.observations + idle.actions
    moved = msgspec.structs.replace(idle, successors=after)
    assert no_effect.rule.ask(changed(survey, plays={"random": moved})) is None
    assert no_effect.rule.ask(changed(survey, plays={"random": idle}, action=box(2, -1.0, 1.0))) is None
