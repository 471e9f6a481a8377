from __future__ import annotations

from tests.outcomes import agent, climbed, mistaken, rung, valued
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB103")


def sick():
    return [
        climbed(rung("DelayedReward", mistaken("only the immediate reward"))),
        climbed(rung("DelayedReward", mistaken("mask inverted"))),
        climbed(rung("DelayedReward", mistaken("bootstraps from its own value"))),
        climbed(rung("DelayedRewardContinuous", valued(lambda state: (0.5, 1.0)[state]))),
    ]


def healthy():
    return [
        climbed(rung("DelayedReward")),
        climbed(rung("DelayedRewardContinuous")),
        climbed(rung("DelayedReward", first=mistaken("never learned"))),
        climbed(rung("DelayedRewardContinuous", soft)),
    ]


def soft(probe, seed):
    """With a temperature of 0.2 the value before the last step holds up to that much of an entropy bonus."""
    return agent(probe, q=lambda state, choice: (1.05, 1.0)[state], sample=lambda state: 0.0, temperature=0.2)


def test_the_same_value_of_an_agent_that_is_not_soft_is_wrong():
    hard = lambda probe, seed: agent(probe, q=lambda state, choice: (1.05, 1.0)[state])  # noqa: E731
    assert RULE.ask(climbed(rung("DelayedRewardContinuous", hard))).link is Link.RETURNS


def test_nothing_carried_back_is_named():
    finding = RULE.ask(climbed(rung("DelayedReward", mistaken("only the immediate reward"))))
    assert finding.link is Link.RETURNS
    assert "only the immediate reward is learned" in finding.message


def test_an_unknown_number_blames_what_the_rung_adds():
    finding = RULE.ask(climbed(rung("ConstantReward"), rung("DelayedReward", valued(lambda state: (0.5, 1.0)[state]))))
    assert finding.link is Link.RETURNS
    assert "more than one step are wrong" in finding.message


def test_a_last_step_that_is_wrong_too_blames_what_is_seen_after_the_first_and_not_the_returns():
    never_met = rung("DelayedReward", lambda probe, seed: agent(probe, value=lambda state: (0.6, 0.2 * seed)[state]))
    finding = RULE.ask(climbed(rung("ConstantReward"), rung("ObservedReward"), never_met))
    assert finding.link is Link.ENVIRONMENT
    assert "after the first step do not reach the learner" in finding.message
    assert RULE.ask(climbed(rung("ConstantReward"), never_met)).link is Link.RETURNS, "what is seen was never shown"
