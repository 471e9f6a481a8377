from __future__ import annotations

from tests.outcomes import acting, climbed, failing, rung
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB119")


def sick():
    return [
        climbed(rung("MatchingAction"), rung("MatchingActionImage", acting(lambda state: 1), late=0.5)),
        climbed(rung("MatchingAction"), rung("MatchingActionDict", acting(lambda state: 0), late=0.5)),
        climbed(rung("MatchingAction"), rung("MatchingActionMultiDiscrete", acting(lambda state: 0), late=0.25)),
        climbed(rung("MatchingAction"), rung("MatchingActionMasked", invalid=7)),
    ]


def healthy():
    return [
        climbed(rung("MatchingActionImage"), rung("MatchingActionDict"), rung("MatchingActionImageContinuous")),
        climbed(rung("MatchingActionMultiDiscrete"), rung("MatchingActionMasked")),
        climbed(rung("MatchingActionImage", first=acting(lambda state: 1))),
        climbed(rung("MatchingActionImage"), failing("MatchingActionDict")),
    ]


def test_what_is_seen_and_what_is_done_are_blamed_apart():
    assert [RULE.ask(outcome).link for outcome in sick()] == [
        Link.OBSERVATION,
        Link.OBSERVATION,
        Link.ACTION,
        Link.ACTION,
    ]


def test_forbidden_actions_are_counted():
    assert "is 7 where 0 is right" in RULE.ask(sick()[-1]).message
