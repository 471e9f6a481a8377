from __future__ import annotations

from tests.recoveries import dqn, q_loop, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("ENV202")


def sick():
    return [q_loop("same seed")]


def healthy():
    return [q_loop(), soft_loop(), dqn()]


def test_counts_the_resets():
    assert "resets of CartPoleEnv were given the seed of the reset before" in RULE.ask(q_loop("same seed")).message
    assert RULE.ask(q_loop()) is None
