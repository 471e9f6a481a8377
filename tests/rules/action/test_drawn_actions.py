from __future__ import annotations

from dataclasses import replace

from tests.monitor.reading.listening import read_updates
from tests.monitor.reading.side_by_side import train
from tests.recoveries import (
    actor_critic,
    continuous,
    dqn,
    look_at,
    ppo,
    q_course,
    sac,
    side_by_side,
    soft_loop,
    td3_loop,
)
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ACT201")


def sick():
    return [
        continuous("one side only"),
        continuous("one action"),
        continuous("hardly explores", 0),
        soft_loop("outside"),
        soft_loop("other units"),
        soft_loop("not stretched"),
        soft_loop("stored stretched"),
        soft_loop("rounded"),
        td3_loop("sigmoid"),
        q_course("over the rows"),
        q_course("smallest"),
        side_by_side("one action"),
        continuous("wrong formula", 0),
    ]


def healthy():
    return [
        continuous(),  # clipped at the bounds
        continuous(number=0),
        continuous("narrow"),
    ]


def more_healthy():
    return [
        side_by_side(),
        ppo(environment="Pendulum-v1"),
        sac(),
        soft_loop(),
        actor_critic(),
        td3_loop(),
        td3_loop("another door"),  # asked directly, the layers of a critic are given actions in other units
        q_course(),
        q_course("greedy stored"),  # its network is asked at every step, nine in ten of which are drawn at random
    ]


def test_says_where_actions_end_and_how_little_is_tried():
    one_side, one_action, narrow, outside, units, reach, stored, few, *_ = (RULE.ask(case) for case in sick())
    assert "all 4 environments (Raft) were given one and the same action" in one_action.message
    assert one_side.link is Link.ACTION
    assert "are exactly 0 in one dimension and none lies beyond, although its space goes on to -1.5" in one_side.message
    assert narrow.link is Link.EXPLORATION
    assert "a spread of 0.0023, in a space that is 3 wide" in narrow.message
    assert "lie outside of its action space" in outside.message
    assert "learns from actions between -0.4 and 0.4 and is asked about actions of up to" in units.message
    assert "is 50% of that of a dimension" in reach.message
    assert "those that it learns from go well beyond" in stored.message
    assert "the environment was given 2 of them" in few.message
    assert "the middle of what the policy draws lies at a bound" in RULE.ask(sick()[-1]).message
    assert RULE.ask(continuous()) is None
    assert isinstance(RULE.ask(dqn()), CannotTell)


def test_says_that_the_values_are_not_what_chooses():
    unfollowed, smallest = RULE.ask(q_course("over the rows")), RULE.ask(q_course("smallest"))
    assert "is taken 35% of the time, no more than by chance (35%)" in unfollowed.message
    assert "In 152 of 152 steps" in smallest.message
    assert "the action with the smallest value is taken" in smallest.message
    assert RULE.ask(q_course()) is None


def test_an_actor_that_ends_in_a_sigmoid_reaches_half_of_its_space():
    assert "is 50% of that of a dimension" in RULE.ask(td3_loop("sigmoid")).message
    assert RULE.ask(td3_loop()) is None


def test_a_policy_with_fewer_outputs_than_actions_is_named():
    reading = read_updates(train)[-1]
    assert RULE.ask(look_at(reading)) is None
    lacking = RULE.ask(look_at(replace(reading, tape=replace(reading.tape, choices=4))))
    assert "has 3 outputs, and its environment 4 actions" in lacking.message
