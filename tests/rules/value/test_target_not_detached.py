from __future__ import annotations

from tests.recoveries import dqn, q_loop, sac, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL206")


def sick():
    return [q_loop("not detached")]


def healthy():
    return [q_loop(), q_loop(seed=1), soft_loop()]


def more_healthy():
    return [dqn(), dqn(double=True), sac()]


def test_names_the_discount_that_comes_back():
    assert "-0.97 times" in RULE.ask(q_loop("not detached")).message
    assert RULE.ask(q_loop()) is None
