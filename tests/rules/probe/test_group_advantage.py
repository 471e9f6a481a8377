from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB206")


def agreeing(agreement, mistake="", fit=1.0):
    made = measure("agreement", "of weights with their own group's advantages", agreement)
    made.mistakes[mistake] = fit
    return climbed("GroupAdvantage", made)


def sick():
    return [
        agreeing(-1.0, "the sign"),
        agreeing(0.1, "the whole batch's baseline"),
        agreeing(0.04, "groups across prompts", 0.92),
        agreeing(0.0, "another prompt's"),
        agreeing(0.02, "another completion's"),
        agreeing(0.3),
    ]


def healthy():
    return [agreeing(1.0), agreeing(0.98, "the whole batch's baseline", 0.3)]


def test_the_sign_is_the_policys_and_groups_are_the_returns():
    links = [RULE.ask(outcome).link for outcome in sick()]
    assert links == [Link.POLICY] + [Link.RETURNS] * 5


def test_a_mistake_that_fits_badly_is_not_named():
    said = RULE.ask(agreeing(0.3, "the sign", 0.5)).message
    assert "no known advantage" in said
