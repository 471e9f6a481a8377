from __future__ import annotations

import numpy as np

from tests.worlds import box, changed, discrete, play, with_play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.constant_observation import constant_observation


def frozen(survey, row=(0.5, 0.0, -1.0)):
    """The survey with one and the same observation everywhere."""
    plays = {}
    for name, each in survey.plays.items():
        rows = np.tile(np.asarray(row, dtype=float), (each.kept, 1))
        plays[name] = play(name, lengths=each.lengths, observations=rows, successors=rows.copy())
    return changed(survey, plays=plays)


def held(lengths):
    """Episodes that keep the observation of their reset."""
    starts = np.random.default_rng(0).normal(size=(len(lengths), 3))
    rows = np.repeat(starts, lengths, axis=0)
    return play("random", lengths=lengths, observations=rows, successors=rows.copy())


def one_step(observation):
    rows = np.tile(np.asarray(observation, dtype=float), (400, 1))
    return play("random", lengths=np.ones(400, dtype=int), observations=rows, successors=rows.copy(), columns=1)


def sick():
    return [
        frozen(world()),
        changed(world(), plays={"random": held(np.full(30, 40))}),
        frozen(changed(world(), seen_columns=(0, 7, 9), observation=box(10))),
    ]


def healthy():
    rows = np.zeros((2000, 1))
    rows[5::10] = 1.0
    flag = play("random", length=20, observations=rows, successors=np.roll(rows, -1), columns=1)
    return [
        world(),
        # a bandit has one step and nothing to see
        changed(world(), observation=box(1), plays={"random": one_step([0.0])}),
        # a bandit with a context that is drawn anew for each episode
        changed(world(), plays={"random": held(np.ones(300, dtype=int))}),
        # one flag that goes up now and then
        changed(world(), observation=box(1), plays={"random": flag}),
        # constant under one policy only
        with_play(world(), zero=frozen(world()).plays["zero"]),
    ]


def test_says_what_the_observation_always_is():
    answer = constant_observation.rule.ask(frozen(world()))
    assert isinstance(answer, Finding)
    assert answer.severity is Level.ERROR
    assert "always (0.5, 0, -1)" in answer.message
    assert "random, zero and search play" in answer.message


def test_an_observation_held_for_each_episode_is_a_warning():
    answer = constant_observation.rule.ask(changed(world(), plays={"random": held(np.full(30, 40))}))
    assert answer.severity is Level.WARN
    assert "The observation of the reset is returned" in answer.message


def test_a_space_of_one_value_says_so_itself():
    space = Space(kind="discrete", dtype="int64", choices=(1,), first=(0,))
    rows = np.zeros((500, 1))
    lonely = play("random", length=50, episodes=10, observations=rows, successors=rows.copy(), columns=1)
    answer = constant_observation.rule.ask(changed(world(), observation=space, plays={"random": lonely}))
    assert answer.severity is Level.INFO
    several = changed(world(), observation=discrete(4), plays={"random": lonely})
    assert constant_observation.rule.ask(several).severity is Level.ERROR


def test_only_some_columns_of_a_wide_observation_are_no_proof():
    wide = frozen(changed(world(), seen_columns=(0, 7, 9), observation=box(10)))
    assert constant_observation.rule.ask(wide).severity is Level.WARN


def test_a_few_steps_are_too_few():
    short = frozen(changed(world(), plays={"random": play("random", episodes=2, length=20)}))
    assert isinstance(constant_observation.rule.ask(short), CannotTell)
    assert isinstance(constant_observation.rule.ask(short, {"steps": 40}), Finding)
