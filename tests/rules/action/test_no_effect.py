from __future__ import annotations

import msgspec
import numpy as np

from tests.rules.action.test_late_effect import latency
from tests.worlds import box, changed, discrete, play, sweep, world
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.action.no_effect import no_effect


def nothing(dimension=0):
    return sweep(dimension, near=0.0, far=0.0, near_reward=0.0 * sweep().near, far_reward=0.0 * sweep().far)


def sick():
    return [
        changed(world(), same_whatever_done=True, sweeps=(nothing(),)),
        changed(world(), same_whatever_done=True, sweeps=(), action=discrete(4)),
        replaced(),
    ]


def replaced(acts=1, shown=1, equal=True, pays=0, length=20):
    """Choices that have an effect from so many states of ten, in sweeps and where a single one is changed."""
    effects = np.zeros((10, 4))
    effects[:acts, 1:] = 1.0
    rewards = np.zeros((10, 4))
    rewards[:pays, 1:] = 1.0
    swept = sweep(
        near=0.0,
        values=np.arange(4.0),
        positions=np.arange(4.0),
        motion=np.ones(10),
        still=np.zeros((10, 4), dtype=bool),
    )
    swept = changed(swept, near=effects, far=effects, near_reward=rewards, far_reward=rewards)
    names = ("random", "constant", "search")
    plays = {
        name: play(name, level=0.0 if equal else 20.0 * (name == "search"), episodes=50, length=length)
        for name in names
    }
    late = latency([1.0] * shown + [np.nan] * (10 - shown))
    return changed(world(), action=discrete(4), sweeps=(swept,), latency=late, plays=plays)


def healthy():
    return [
        world(),
        # one action is no choice
        changed(world(), same_whatever_done=True, sweeps=(), action=discrete(1)),
        changed(world(), same_whatever_done=True, sweeps=(), action=box(2, 0.5, 0.5)),
        # most choices decide something; or one in a hundred does, and a search finds which
        replaced(acts=8, shown=9),
        replaced(equal=False),
        # what is done is paid for at once and changes nothing else, as a bet does
        replaced(pays=10, shown=0),
        # a bandit that seldom pays anything, whatever is done
        replaced(length=1),
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
