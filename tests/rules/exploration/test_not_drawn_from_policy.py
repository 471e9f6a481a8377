from __future__ import annotations

from tests.recoveries import actor_critic, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EXP204")


def sick():
    return [ppo(environment="Acrobot-v1", fault="greedy"), actor_critic("greedy"), ppo(fault="greedy")]


def healthy():
    return [ppo(environment="Acrobot-v1"), actor_critic(), ppo(), ppo(environment="Pendulum-v1")]


def test_names_both_shares():
    assert "100.0%" in RULE.ask(sick()[0]).message
