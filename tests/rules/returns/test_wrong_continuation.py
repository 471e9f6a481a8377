from __future__ import annotations

from dataclasses import replace

import pytest

from tests.monitor.plain_ppo import TIME_LIMIT_AS_TERMINAL, Options, train
from tests.monitor.reading.listening import read_updates
from tests.recoveries import atoms, dqn, look_at, ppo, q_loop, quantiles, sac
from tests.rollouts import look
from weaklink.base.evidence.recovered import LAST, LIMIT, NOTHING, OWN_VALUE, TERMINAL, RecoveredUpdate
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("RET203")
SAME = Options.mode.SAME_STEP


def sick():
    return [
        ppo(fault="ends ignored"),
        dqn(fault="ends ignored"),
        ppo(fault="advantage leaks"),
    ]


def more_sick():
    return [
        q_loop("quartered and cut"),
        atoms(fault="ends ignored"),
        quantiles(fault="ends ignored"),
    ]


def healthy():
    return [
        ppo(),
        ppo(environment="Acrobot-v1"),
        ppo(value_loss="clipped"),
    ]


def more_healthy():
    return [
        ppo(lam=1.0),
        dqn(),
        dqn(double=True),
        sac(),
        q_loop("quartered"),
        atoms(),
        quantiles(),
    ]


def test_names_what_a_terminal_goes_on_with():
    answer = RULE.ask(sick()[0])
    assert isinstance(answer, Finding)
    assert "At each terminal step" in answer.message
    assert "the return of the next episode" in answer.message
    assert "done ignored" in answer.message
    replayed = RULE.ask(sick()[1])
    assert isinstance(replayed, Finding)
    assert "bootstrap through a terminal" in replayed.message
    assert "lambda times the advantage of the next episode as well" in RULE.ask(sick()[2]).message


def test_a_time_limit_that_ends_everything_is_a_warning_although_nobody_asked_for_its_value():
    readings = read_updates(lambda: train(Options(mode=SAME, fault=TIME_LIMIT_AS_TERMINAL)))
    answers = [RULE.ask(look_at(reading)) for reading in readings]
    found = [each for each in answers if isinstance(each, Finding)]
    assert found
    assert all(each.level == Level.WARN and "truncation treated as termination" in each.message for each in found)
    whole = read_updates(lambda: train(Options(mode=SAME)))
    assert all(RULE.ask(look_at(reading)) is None for reading in whole)


def test_a_time_limit_that_is_seen_coming_is_an_end():
    """Pardo et al. (2018): an observation that counts the steps makes the limit a part of the task."""
    readings = read_updates(lambda: train(Options(mode=SAME, clock=True, fault=TIME_LIMIT_AS_TERMINAL)))
    ends = [end for reading in readings for end in look_at(reading).recovered.values[0].ends]
    assert {end.goes_on_with for end in ends if end.place == TERMINAL} == {NOTHING}
    assert not any(isinstance(RULE.ask(look_at(reading)), Finding) for reading in readings)


def test_one_reward_in_all_rows_tells_ends_although_its_scale_is_not_known():
    assert "truncation treated as termination" in RULE.ask(q_loop("quartered and cut")).message
    assert RULE.ask(q_loop("quartered")) is None


@pytest.mark.parametrize("place", [TERMINAL, LIMIT, LAST])
def test_rows_that_are_right_at_a_place_are_read_there(place: str):
    read = ppo(environment="CartPole-v1").recovered
    assert read is not None
    assert place not in {end.place for end in read.values[0].ends if end.goes_on_with == OWN_VALUE}


def test_without_a_critic_nothing_can_be_told():
    assert isinstance(RULE.ask(look(recovered=RecoveredUpdate())), CannotTell)
    read = ppo().recovered
    assert read is not None
    bare = replace(read, values=tuple(replace(each, ends=()) for each in read.values))
    assert isinstance(RULE.ask(look(recovered=bare)), CannotTell)
