from __future__ import annotations

from tests.recoveries import actor_critic, continuous, ppo, q_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL209")


def sick():
    return [continuous("value detached"), continuous("value loss forgotten")]


def healthy():
    return [
        continuous(),
        continuous("no baseline"),  # an output that nobody uses
        actor_critic(),
    ]


def more_healthy():
    return [
        ppo(),
        q_loop(),
    ]


def test_what_shows_that_it_is_a_critic():
    part = continuous("no baseline").recovered
    assert part is not None
    assert part.values == ()
    assert RULE.ask(continuous()) is None
    assert "the critic stays as it was made" in RULE.ask(continuous("value detached")).message
