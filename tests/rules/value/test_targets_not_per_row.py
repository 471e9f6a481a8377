from __future__ import annotations

from tests.recoveries import dqn, ppo, sac
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL203")


def sick():
    return [ppo(fault="all pairs"), ppo(environment="Pendulum-v1", fault="all pairs"), ppo(fault="critic pushed away")]


def healthy():
    return [
        ppo(),
        ppo(value_loss="clipped"),
        ppo(value_loss="huber"),
    ]


def more_healthy():
    return [
        ppo(environment="Pendulum-v1"),
        ppo(gamma=0.5, lam=0.5),
        ppo(gamma=0.0, lam=0.0),  # every row is worth the same
        dqn(),
        sac(),
    ]


def test_says_what_the_loss_does():
    assert "towards one number" in RULE.ask(sick()[0]).message
    assert "away from their targets" in RULE.ask(sick()[2]).message
    assert RULE.ask(ppo()) is None
