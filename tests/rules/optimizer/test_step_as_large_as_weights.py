from __future__ import annotations

from tests.recoveries import ppo, q_loop, soft_loop, td3_loop
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("OPT207")


def sick():
    return [td3_loop("fast critic", number=0)]


def healthy():
    return [td3_loop(number=0), soft_loop(), q_loop()]


def more_healthy():
    return [q_loop(rate=0.03), ppo()]


def test_says_the_rate_and_the_size_of_the_weights():
    message = RULE.ask(td3_loop("fast critic", number=0)).message
    assert "with a learning rate of 0.1" in message
    assert "are about 0.11 large" in message
    assert RULE.ask(td3_loop(number=0)) is None
