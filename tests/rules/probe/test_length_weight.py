from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.base.finding import Level
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB212")


def counted(power):
    return climbed("LengthWeight", measure("power of the length", "in a token's weight", power))


def sick():
    return [counted(1.0), counted(-1.0), counted(-2.0)]


def healthy():
    return [counted(0.0), counted(-0.1)]


def test_one_over_the_length_is_information_and_no_alarm():
    assert RULE.ask(counted(-1.0)).level is Level.INFO
    assert RULE.ask(counted(1.0)).level is Level.ERROR
