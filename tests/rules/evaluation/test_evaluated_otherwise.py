from __future__ import annotations

import pytest

from tests.monitor.scoring import told_rollout, trained_rollout
from tests.recoveries import evaluated, recurrent_course, soft_loop
from weaklink.base.finding import Finding
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EVA201")
FAULTS = ("stale", "raw", "other", "short", "own statistics", "same seed", "random", "walls")


def sick():
    return [*(evaluated(fault) for fault in FAULTS[:5]), recurrent_course("evaluated without memory")]


def more_sick():
    return [
        *(evaluated(fault) for fault in FAULTS[5:]),
        soft_loop("evaluated aside"),
        *(told_rollout(fault) for fault in ("never set back", "last reward")),
        *(trained_rollout(fault) for fault in ("never set back", "best")),
    ]


def healthy():
    # a copy is as good as the network itself where it is written to
    return [
        evaluated(),
        evaluated("copied"),
        evaluated("talks"),
    ]


def more_healthy():
    return [
        recurrent_course("evaluated"),
        soft_loop(),
        told_rollout(),
        trained_rollout(),
    ]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("stale", "a copy of Policy.body.2 whose weights never change"),
        ("raw", "prepared in another way than in training"),
        ("other", "Cart.friction is 0.5 there and 0.1 in training"),
        ("walls", "Cart._walls is 1 there and 0 in training"),
        ("short", "give episodes up after 7 steps"),
        ("own statistics", "prepared in another way than in training"),
        ("random", "No network is asked in any of"),
        ("same seed", "Evaluations of 5 episodes play one and the same"),
    ],
)
def test_says_what_evaluations_do_otherwise(fault, said):
    assert said in RULE.ask(evaluated(fault)).message


def test_raw_observations_at_the_very_end_are_named():
    assert "prepared in another way than in training" in RULE.ask(evaluated("raw", once=True)).message
    # statistics that have moved on since the last update that was read are none of it
    assert not isinstance(RULE.ask(evaluated(once=True)), Finding)
    assert not isinstance(RULE.ask(evaluated("own statistics", once=True)), Finding)


def test_a_memory_that_is_always_empty_in_evaluations_is_named():
    assert "given a memory of zeros" in RULE.ask(recurrent_course("evaluated without memory")).message
    assert RULE.ask(recurrent_course("evaluated")) is None


def test_an_evaluation_that_breaks_off_an_episode_of_training_is_named():
    for fault in ("evaluated aside", "evaluated between"):
        assert "none of the 100 steps that follow is learned from" in RULE.ask(soft_loop(fault)).message
    assert not isinstance(RULE.ask(soft_loop()), Finding)
