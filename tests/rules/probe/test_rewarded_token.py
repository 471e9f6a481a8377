from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB209")


def likely(probability):
    return climbed("RewardedToken", measure("probability", "of the paid token", probability))


def sick():
    return [likely(0.001), likely(0.13), likely(float("nan"))]


def healthy():
    return [likely(0.99), likely(0.7)]


def test_tells_a_sign_from_no_update():
    said = [RULE.ask(outcome).message for outcome in sick()]
    assert "a sign is flipped" in said[0]
    assert "does not follow the advantage" in said[1]
    assert "no finite number" in said[2]
