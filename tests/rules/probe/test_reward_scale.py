from __future__ import annotations

from tests.outcomes import acting, climbed, rung
from weaklink.finding import Level
from weaklink.loop import Link
from weaklink.rules._registry import find_rule

RULE = find_rule("PRB116")


def sick():
    return [
        climbed(rung("MatchingAction"), rung("LargeRewards", acting(lambda state: 1), late=0.5)),
        climbed(rung("MatchingAction"), rung("LargeRewards"), rung("SmallRewards", acting(lambda state: 0), late=0.5)),
        climbed(rung("MatchingActionContinuous"), rung("LargeRewardsContinuous", acting(lambda state: 1))),
    ]


def healthy():
    return [
        climbed(rung("LargeRewards"), rung("SmallRewards")),
        climbed(rung("LargeRewardsContinuous"), rung("SmallRewardsContinuous")),
        climbed(rung("LargeRewards", first=acting(lambda state: 1))),
    ]


def test_the_size_is_blamed_and_not_what_holds_with_rewards_of_one():
    for outcome in sick():
        finding = RULE.ask(outcome)
        assert finding.link is Link.VALUE
        assert finding.level is Level.WARN


def test_the_form_that_fails_is_named():
    assert "SmallRewards" in RULE.ask(sick()[1]).message
