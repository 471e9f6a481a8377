from __future__ import annotations

from dataclasses import replace

from tests.recoveries import dqn, q_loop, soft_loop, td3_loop
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("RET205")


def replace_terminals(rollout: Rollout, count: int) -> Rollout:
    """The same with episodes that end: then a sum without a discount is a number."""
    read = rollout.recovered
    assert read is not None
    values = tuple(replace(each, terminals=count) for each in read.values)
    return replace(rollout, recovered=replace(read, values=values))


def sick():
    return [td3_loop("no discount")]


def healthy():
    return [td3_loop(), soft_loop(), q_loop("quartered"), replace_terminals(td3_loop("no discount"), 3)]


def test_says_that_the_sum_has_no_end():
    message = RULE.ask(td3_loop("no discount")).message
    assert "with the next value times 1, also behind the time limit (15 rows)" in message
    assert RULE.ask(td3_loop()) is None


def test_without_limits_nothing_can_be_told():
    assert isinstance(RULE.ask(dqn()), CannotTell)
