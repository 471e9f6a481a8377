from __future__ import annotations

from tests.outcomes import acting, climbed, mistaken, rung, valued
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB115")


def sick():
    return [
        climbed(rung("LongCredit", mistaken("discounted twice"))),
        climbed(rung("LongCredit", mistaken("no discount"))),
        climbed(rung("TwoActions"), rung("LongCredit", acting(lambda state: 0), late=0.5)),
        climbed(rung("LongCreditContinuous", mistaken("only the immediate reward"))),
    ]


def healthy():
    return [
        climbed(rung("LongCredit")),
        climbed(rung("LongCreditContinuous")),
        climbed(rung("LongCredit", first=mistaken("never learned"))),
        climbed(rung("LongCredit", acting(lambda state: 1))),
    ]


LOWER = ("ConstantReward", "ObservedReward", "DelayedReward", "TimeLimit", "Terminal")


def test_a_discount_applied_twice_shows_here_too():
    finding = RULE.ask(climbed(rung("LongCredit", mistaken("discounted twice"))))
    assert finding.link is Link.RETURNS
    assert "discount is applied twice" in finding.message


def test_a_wrong_choice_after_right_ones_blames_the_returns():
    finding = RULE.ask(sick()[2])
    assert finding.link is Link.RETURNS
    assert "over several steps" in finding.message


def test_credit_that_fades_too_fast_blames_the_returns():
    fading = valued(lambda state: 0.4 ** (12 - state) if state else 0.4**6)
    assert RULE.ask(climbed(rung("DelayedReward"), rung("LongCredit", fading))).link is Link.RETURNS
