from __future__ import annotations

from tests.recoveries import actor_critic, episodic, ppo
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("RET204")


def sick():
    return [episodic("units"), episodic("standardised alone")]


def healthy():
    return [
        episodic(),  # the critic learns in other units, and is scaled back
        episodic("no baseline"),
        episodic("standardised"),
    ]


def more_healthy():
    return [
        episodic("drawn again"),
        ppo(),
        ppo(environment="Acrobot-v1"),
        ppo(fault="a bonus of its own"),
        actor_critic(),
    ]


def test_names_how_much_is_subtracted():
    found = RULE.ask(sick()[0])
    assert "a return less 0.1 times the critic's value" in found.message
    assert found.link is Link.VALUE
