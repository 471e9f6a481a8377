from __future__ import annotations

from tests.recoveries import continuous, episodic, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("REW203")


def sick():
    return [continuous("costs, standardised", 1)]


def healthy():
    return [
        continuous("costs, divided", 1),
        continuous(),
        continuous("rewards times 3"),
    ]


def more_healthy():
    return [
        ppo(environment="Pendulum-v1", fault="rewards normalised"),
        ppo(environment="Pendulum-v1", fault="rewards shaped"),  # nothing ends there
        ppo(),
        episodic(),
        episodic("units"),
    ]


def test_says_how_many_rewards_have_the_other_sign():
    message = RULE.ask(continuous("costs, standardised", 1)).message
    assert "from which a mean was subtracted" in message
    assert RULE.ask(continuous("costs, divided", 1)) is None
