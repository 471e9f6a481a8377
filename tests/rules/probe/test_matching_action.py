from __future__ import annotations

from tests.outcomes import acting, agent, climbed, mistaken, rung
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB105")


def sick():
    return [
        climbed(rung("TwoActions"), rung("MatchingAction", acting(lambda state: 1), early=0.5, late=0.5)),
        climbed(rung("MatchingAction", acting(lambda state: 1 - state), late=0.02)),
        climbed(rung("TwoActionsContinuous"), rung("MatchingActionContinuous", acting(lambda state: 0), late=0.4)),
        climbed(rung("MatchingAction", mistaken("advantage for a target"))),
    ]


def healthy():
    return [
        climbed(rung("MatchingAction")),
        climbed(rung("MatchingActionContinuous")),
        climbed(rung("MatchingAction", first=acting(lambda state: 1))),
        climbed(rung("MatchingAction", acting(lambda state: state), late=0.8)),
    ]


def test_the_same_action_everywhere_is_said_and_blames_the_rows():
    finding = RULE.ask(sick()[0])
    assert finding.link is Link.DATA
    assert "the same action whatever it observes" in finding.message


def test_a_rung_with_two_actions_that_holds_clears_the_policy_and_its_optimizer():
    stuck = rung("MatchingAction", acting(lambda state: 1), early=0.5, late=0.5)
    assert RULE.ask(climbed(stuck)).link is Link.OPTIMIZER
    assert RULE.ask(climbed(rung("TwoActions"), stuck)).link is Link.DATA


def test_another_kind_of_actions_clears_nothing():
    stuck = rung("MatchingActionContinuous", acting(lambda state: 1), early=0.4, late=0.4)
    assert RULE.ask(climbed(rung("TwoActions"), stuck)).link is Link.OPTIMIZER


def test_values_of_zero_follow_from_a_policy_at_chance():
    both = lambda probe, seed: agent(probe, value=lambda state: 0.0, act=lambda state: 1)  # noqa: E731
    finding = RULE.ask(climbed(rung("TwoActions"), rung("MatchingAction", both, early=0.5, late=0.5)))
    assert finding.link is Link.DATA


def test_right_in_training_and_wrong_when_handed_over():
    finding = RULE.ask(climbed(rung("MatchingAction", acting(lambda state: 1), late=0.97)))
    assert finding.link is Link.EVALUATION
    assert "97%" in finding.message


def test_wrong_values_beside_right_actions_are_named():
    assert RULE.ask(climbed(rung("MatchingAction", mistaken("advantage for a target")))).link is Link.RETURNS


def test_action_values_that_see_and_do_not_tell_which_action_pays_blame_the_value():
    def preferring_one(best):
        """The first action is preferred everywhere; its value in each state is the one given."""
        return lambda probe, seed: agent(
            probe, q=lambda state, action: best[state] - 0.3 * action, act=lambda state: probe.native(0)
        )

    seen = rung("MatchingAction", preferring_one((0.7, -0.7)), early=0.5, late=0.5)
    assert RULE.ask(climbed(rung("TwoActions"), seen)).link is Link.VALUE
    blind = rung("MatchingAction", preferring_one((0.1, 0.0)), early=0.5, late=0.5)
    assert RULE.ask(climbed(rung("TwoActions"), blind)).link is Link.DATA


def values_that_prefer(choice):
    """An agent with action values that prefer this choice of each state, and that acts by something else."""

    def make(probe, seed):
        return agent(probe, q=lambda state, action: float(action == choice(state)), act=lambda state: 1 - state)

    return make


def test_an_agent_that_does_not_take_what_its_own_values_prefer_blames_the_action():
    before = rung("TwoActions")
    taken = RULE.ask(climbed(before, rung("MatchingAction", values_that_prefer(lambda state: state), late=0.5)))
    assert taken.link is Link.ACTION
    assert "its own action values prefer the right action" in taken.message
    consistent = values_that_prefer(lambda state: 1 - state)
    assert RULE.ask(climbed(before, rung("MatchingAction", consistent, late=0.5))).link is not Link.ACTION


def test_values_that_do_not_tell_actions_apart_blame_what_the_loss_moves():
    alike = lambda probe, seed: agent(probe, q=lambda state, action: 0.1 + 0.01 * action, act=lambda state: 1)  # noqa: E731
    finding = RULE.ask(climbed(rung("TwoActions"), rung("MatchingAction", alike, late=0.5)))
    assert finding.link is Link.VALUE
    assert "values of all actions are the same" in finding.message
