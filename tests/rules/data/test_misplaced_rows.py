from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.monitor.plain_ppo import OBSERVATION_AFTER, Options, train
from tests.monitor.reading import continuous_ppo
from tests.monitor.reading.listening import read_updates
from tests.recoveries import (
    actor_critic,
    continuous,
    dqn,
    episodic,
    look_at,
    many_choices,
    ppo,
    side_by_side,
    told_past,
)
from weaklink.base.evidence.update import UNMATCHED
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("DAT207")


def sick():
    return [
        side_by_side("observation after"),
        side_by_side("one reward"),
        continuous("a part alone"),
        continuous("advantages mixed up"),
        many_choices("reward late"),
        told_past("reward late"),
        ppo(fault="not shuffled"),
        ppo(fault="not shuffled", environment="Acrobot-v1"),
    ]


def healthy():
    return [
        side_by_side(),
        continuous(),
        continuous("narrow"),
    ]


def more_healthy():
    return [
        actor_critic(),
        actor_critic(limit=6),
        episodic(),
        ppo(),
        ppo(fault="in order"),
        ppo(fault="a bonus of its own"),
        ppo(fault="other rows"),
        many_choices(),
        told_past(),
    ]


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (0, "observations that followed the actions"),
        (1, "one reward for all environments"),
        (2, "never learned from"),
        (3, "advantages of other rows exactly"),
        (4, "rewards of the step before"),
        (5, "rewards of the step before"),
        (6, "not drawn with the index of the observations"),
        (7, "not drawn with the index of the observations"),
    ],
)
def test_each_mistake_has_its_words(place, words):
    assert words in RULE.ask(sick()[place]).message


def test_rows_that_are_not_known_may_be_those_that_are_missing():
    reading = read_updates(lambda: continuous_ppo.train("a part alone"))[-1]
    assert RULE.ask(look_at(reading)) is not None
    some = [np.where(np.arange(len(call.rows)) % 10, call.rows, UNMATCHED) for call in reading.calls]
    calls = [replace(call, rows=rows) for call, rows in zip(reading.calls, some, strict=True)]
    assert RULE.ask(look_at(replace(reading, calls=tuple(calls)))) is None


def test_shuffled_rows_of_observations_after_the_actions_show_by_the_last_ones():
    wrong, right = (
        read_updates(lambda fault=fault: train(Options(mode=Options.mode.SAME_STEP, fault=fault)), most=2)[1]
        for fault in (OBSERVATION_AFTER, "")
    )
    assert "learns from observations that followed the actions" in RULE.ask(look_at(wrong)).message
    assert RULE.ask(look_at(right)) is None


def test_replay_is_not_judged():
    assert isinstance(RULE.ask(dqn()), CannotTell)
