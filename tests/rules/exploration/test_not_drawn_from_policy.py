from __future__ import annotations

from tests.recoveries import actor_critic, episodic, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP204")


def sick():
    return [
        ppo(environment="Acrobot-v1", fault="greedy"),
        actor_critic("greedy"),
        ppo(fault="greedy"),
    ]


def more_sick():
    return [
        episodic("cold"),
        actor_critic("warm"),
    ]


def healthy():
    return [
        ppo(environment="Acrobot-v1"),
        actor_critic(),
        actor_critic(choices=2),
    ]


def more_healthy():
    return [
        ppo(),
        ppo(environment="Pendulum-v1"),
        episodic(),
    ]


def test_names_both_shares():
    assert "100.0%" in RULE.ask(sick()[0]).message


def test_names_the_temperature_that_actions_were_drawn_with():
    found = RULE.ask(episodic("cold"))
    assert "with a temperature of 0.04" in found.message
    assert RULE.ask(episodic()) is None
    assert "with a temperature" in RULE.ask(actor_critic("warm")).message
