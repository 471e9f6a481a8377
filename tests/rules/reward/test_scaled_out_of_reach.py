from __future__ import annotations

from tests.recoveries import actor_critic, continuous, ppo
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("REW201")


def sick():
    return [continuous("rewards times 300"), ppo(environment="Pendulum-v1", fault="rewards enlarged")]


def healthy():
    return [
        continuous(),
        continuous("rewards times 3"),
        ppo(environment="Pendulum-v1", gamma=0.999),  # large by themselves
    ]


def more_healthy():
    return [
        ppo(environment="Pendulum-v1", fault="rewards scaled"),
        actor_critic(),
    ]


def test_says_what_rewards_are_multiplied_by():
    assert (
        "made of rewards times 300 and have a standard deviation of"
        in RULE.ask(continuous("rewards times 300")).message
    )
    assert RULE.ask(continuous("rewards times 3")) is None
