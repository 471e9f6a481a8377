"""One training: which discount is meant, what counts as a failure, and what the agent is asked."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests import trainers
from tests.outcomes import agent
from tests.sparing import spare
from weaklink.collect.probes.catalogue import ALL_PROBES, find_probe
from weaklink.collect.probes.trial import trial

DELAYED = find_probe("DelayedReward")
TWO = find_probe("TwoActions")


def known(value, **shown):
    """A trainer that takes no discount, whose agent says the same value everywhere."""

    def train(make_env, steps, seed):
        return agent(DELAYED, value=lambda state: value, **shown)

    return train


def test_the_discount_that_a_trainer_takes_is_the_ladders():
    done = trial(trainers.right, DELAYED, 600, 0)
    assert done.gamma == 0.9
    assert done.holds
    assert [round(measure.right, 3) for measure in done.measures] == [0.9, 1.0]


@pytest.mark.parametrize("seed", spare(range(4), lambda seed: seed == 0))
def test_targets_over_several_steps_learn_what_exploring_earns_and_hold(seed):
    done = trial(trainers.several_steps, find_probe("QValues"), 6000, seed)
    going_back = next(measure for measure in done.measures if measure.where == "second state, action 1")
    assert going_back.measured < going_back.right - 0.1
    assert done.holds


def test_what_exploring_earns_excuses_no_value_of_an_action_that_ends():
    done = trial(trainers.several_steps, find_probe("QValues"), 6000, 0)
    widths = {measure.where: measure.right - measure.low for measure in done.measures}
    assert widths["first state, action 1"] == widths["second state, action 0"] == pytest.approx(0.1)
    assert 0.1 < widths["first state, action 0"] < widths["second state, action 1"] < 0.35


@pytest.mark.parametrize("title", [probe.title for probe in ALL_PROBES])
def test_an_agent_that_does_not_discount_can_be_asked_everywhere(title):
    def train(make_env, steps, seed):
        return agent(find_probe(title), value=lambda state: 1.0, gamma=1.0)

    done = trial(train, find_probe(title), 100, 0)
    assert done.gamma == 1.0
    assert not done.failure


def test_a_discount_of_the_users_own_is_what_the_trainer_is_told():
    done = trial(trainers.right, DELAYED, 600, 0, gamma=0.5)
    assert done.gamma == 0.5
    assert done.holds
    assert [round(measure.right, 3) for measure in done.measures] == [0.5, 1.0]


def test_every_step_counts_where_not_every_one_is_kept(monkeypatch):
    monkeypatch.setattr("weaklink.collect.probes.recording.PART", 50)
    assert trial(trainers.right, TWO, 1000, 0).taken >= 1000

    def train(make_env, steps, seed):
        trainers.right(make_env, steps, seed)
        raise ValueError

    assert trial(train, TWO, 1000, 0).taken >= 1000


@pytest.mark.parametrize(
    ("given", "said", "meant"),
    [(0.5, {}, 0.5), (0.5, {"gamma": 0.7}, 0.5), (None, {"gamma": 0.7}, 0.7), (None, {}, 0.99)],
)
def test_otherwise_what_the_user_gives_then_what_the_agent_says_then_the_usual(given, said, meant):
    done = trial(known(1.0, **said), DELAYED, 100, 0, gamma=given)
    assert done.gamma == meant
    assert done.measures[0].right == pytest.approx(meant)


def test_values_are_held_against_the_discount_that_is_meant():
    half = trainers.trained

    def train(make_env, steps, seed):
        return half(make_env, steps, seed, 0.5)

    assert trial(train, DELAYED, 600, 0).holds, "the agent says which it used"
    assert not trial(train, DELAYED, 600, 0, gamma=0.99).holds


def test_what_is_raised_is_told_with_its_place():
    done = trial(trainers.raises, TWO, 200, 3)
    assert (done.kind, done.seed, done.taken, done.holds) == ("raised", 3, 40, False)
    assert done.failure == "ValueError: shapes (64,) and (64, 1) do not fit"
    assert "trainers.py" in done.printed


def test_a_trainer_that_exits_has_failed():
    def train(make_env, steps, seed):
        raise SystemExit(0)

    done = trial(train, TWO, 100, 0)
    assert (done.kind, done.failure) == ("raised", "SystemExit: 0")
    assert "in train" in done.printed


def test_an_agent_that_raises_when_asked_is_a_failure():
    def train(make_env, steps, seed):
        made = agent(TWO)
        made.act = lambda seen: 1 / 0
        return made

    assert trial(train, TWO, 100, 0).failure == "ZeroDivisionError: division by zero"


def test_no_agent_at_all_is_a_failure():
    assert "act" in trial(lambda make_env, steps, seed: None, TWO, 100, 0).failure


def test_long_messages_are_cut():
    def train(make_env, steps, seed):
        raise ValueError("many\nwords " * 1000)

    done = trial(train, TWO, 100, 0)
    assert len(done.failure) < 400
    assert "\n" not in done.failure


def test_a_miss_after_a_part_of_the_steps_has_ended_early():
    done = trial(trainers.ends_early, TWO, 1000, 0)
    assert (done.kind, done.taken) == ("short", 100)
    assert done.failure == "it ended after 100 of 1,000 steps"


def test_who_is_right_may_end_early():
    def train(make_env, steps, seed, gamma=0.9):
        return trainers.trained(make_env, min(steps, 400), seed, gamma)

    done = trial(train, TWO, 1000, 0)
    assert (done.kind, done.failure, done.taken, done.holds) == ("", "", 400, True)


def test_who_took_no_step_here_is_not_called_short():
    """It may have built environments of its own, in other processes."""
    done = trial(lambda make_env, steps, seed: agent(TWO, act=lambda state: 0), TWO, 1000, 0)
    assert (done.kind, done.taken, done.holds) == ("", 0, False)


def test_values_that_are_no_numbers_miss():
    done = trial(trainers.not_finite, DELAYED, 200, 0)
    assert done.holds is False
    assert all(math.isnan(measure.measured) and not measure.holds for measure in done.measures)


def test_values_may_come_in_any_shape():
    done = trial(known(np.array([[0.95]], np.float32)), DELAYED, 100, 0, gamma=0.9)
    assert [measure.measured for measure in done.measures] == pytest.approx([0.95, 0.95])


def test_what_an_agent_shows():
    assert trial(trainers.right, TWO, 50, 0).shows == ("value",)
    assert trial(trainers.q_learner, TWO, 50, 0).shows == ("q",)
    assert trial(trainers.remembering, TWO, 50, 0).shows == ("value", "reset")
    silent = trial(trainers.silent, DELAYED, 50, 0)
    assert (silent.shows, silent.measures, silent.holds) == ((), (), None)


def test_an_agent_with_a_memory_is_led_to_each_state():
    done = trial(trainers.remembering, find_probe("Memory"), 3000, 0)
    assert done.holds
    assert {measure.where for measure in done.measures} >= {"acting after -1", "acting after +1"}
    forgetful = trial(trainers.right, find_probe("Memory"), 3000, 0)
    assert forgetful.holds is False


def test_masks_are_given_to_those_who_take_them():
    masked = find_probe("MatchingActionMasked")
    assert trial(trainers.right, masked, 1000, 0).holds
    ignored = trial(trainers.masks_ignored, masked, 1000, 0)
    (count,) = [measure for measure in ignored.missed if measure.what == "forbidden"]
    assert count.measured == ignored.behaviour.invalid > 100
