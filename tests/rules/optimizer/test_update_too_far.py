from __future__ import annotations

from tests.recoveries import actor_critic, continuous, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT205")


def sick():
    return [continuous("steps too large", 0)]


def healthy():
    return [
        continuous(),
        continuous("", 0),
        continuous("quick"),  # three times as large as it is
    ]


def more_healthy():
    return [
        ppo(),
        ppo(rate=1e-2),
        ppo(environment="Acrobot-v1"),
        actor_critic(),
    ]


def test_says_how_far_one_update_went():
    assert "of 256 rows" in RULE.ask(continuous("steps too large", 0)).message
    assert RULE.ask(continuous()) is None
    assert RULE.ask(ppo(rate=1e-2)) is None
