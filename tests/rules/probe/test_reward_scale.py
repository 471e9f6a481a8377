from __future__ import annotations

from itertools import count

from tests.outcomes import acting, agent, climbed, rung
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB116")
TURNS = count()


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


def drawing(choice):
    """A policy that takes one action whatever is seen, and draws it too."""
    return lambda probe, seed: agent(
        probe, act=lambda state: probe.native(0), sample=lambda state: probe.native(choice(state, seed))
    )


def test_a_policy_that_is_sure_of_the_wrong_action_was_drawn_together_by_something_else():
    sure, unsure = drawing(lambda state, seed: 0), drawing(lambda state, seed: next(TURNS) % 2)
    collapsed = RULE.ask(climbed(rung("MatchingAction"), rung("SmallRewards", sure, late=0.5)))
    assert collapsed.link is Link.EXPLORATION
    assert RULE.ask(climbed(rung("MatchingAction"), rung("SmallRewards", unsure, late=0.5))).link is Link.VALUE
    assert RULE.ask(climbed(rung("MatchingAction"), rung("LargeRewards", sure, late=0.5))).link is Link.VALUE
