from __future__ import annotations

from tests.recoveries import ppo, q_loop, soft_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT208")


def sick():
    return [q_loop("decay")]


def healthy():
    return [q_loop(), q_loop("some decay"), soft_loop(), ppo()]


def test_says_how_much_larger_it_is():
    assert "times as large as the gradient of the loss" in RULE.ask(q_loop("decay")).message
    assert RULE.ask(q_loop()) is None
    assert RULE.ask(q_loop("some decay")) is None
