from __future__ import annotations

import msgspec
import numpy as np

from tests.outcomes import acting, agent, climbed, mistaken, rung
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB104")


def sick():
    return [
        climbed(rung("TwoActions", acting(lambda state: 0), late=0.02)),
        climbed(rung("TwoActions", acting(lambda state: 0), early=0.52, late=0.5)),
        climbed(rung("TwoActions", acting(lambda state: 1), late=0.62)),
        climbed(rung("TwoActions", acting(lambda state: 0), early=0.0, late=0.0, first_choice=1.0)),
        climbed(rung("TwoActionsContinuous", acting(lambda state: 0), late=0.05)),
    ]


def healthy():
    return [
        climbed(rung("TwoActions")),
        climbed(rung("TwoActionsContinuous", late=0.7)),
        climbed(rung("TwoActions", acting(lambda state: 1), early=0.75, late=0.8)),
        climbed(rung("TwoActions", first=acting(lambda state: 0))),
        climbed(rung("TwoActions", greedy_with_q_values, late=0.55)),
    ]


def greedy_with_q_values(probe, seed):
    """Explores at random half of the time to the end, as some value-based agents do."""
    return agent(probe, q=lambda state, choice: float(choice))


def blamed(title="TwoActions", act=0, **behaviour):
    return RULE.ask(climbed(rung(title, acting(lambda state: act), **behaviour))).link


def test_blames_by_what_was_done():
    assert blamed(late=0.02) is Link.POLICY
    assert blamed(early=0.52, late=0.5) is Link.OPTIMIZER
    assert blamed(early=0.3, late=0.33) is Link.OPTIMIZER
    assert blamed(early=0.0, late=0.0, first_choice=1.0) is Link.EXPLORATION
    assert blamed(late=0.96) is Link.EVALUATION
    assert blamed("TwoActionsContinuous", early=0.38, late=0.36) is Link.OPTIMIZER
    assert blamed("TwoActionsContinuous", early=0.0, late=0.0, spread=0.001) is Link.EXPLORATION


def test_a_flat_distribution_is_told_from_one_that_is_never_updated():
    flat = RULE.ask(climbed(rung("TwoActions", acting(lambda state: 1), early=0.6, late=0.7)))
    assert flat.link is Link.POLICY
    assert "only 70%" in flat.message
    assert blamed(act=1, early=0.51, late=0.5) is Link.OPTIMIZER


def test_another_winner_with_each_seed_blames_the_update():
    def seeded(seed):
        return rung("TwoActions", acting(lambda state: seed % 2), seeds=[seed], late=0.95 if seed % 2 else 0.04)

    mixed = msgspec.structs.replace(
        seeded(0), trials=tuple(trial for seed in range(5) for trial in seeded(seed).trials)
    )
    finding = RULE.ask(climbed(mixed))
    assert finding.link is Link.POLICY
    assert "a different one with each seed" in finding.message


def test_a_policy_that_moves_but_learns_nothing_blames_the_update():
    assert blamed(early=0.42, late=0.52) is Link.POLICY


def test_the_agent_that_surely_does_the_opposite_of_what_arrives_blames_the_action():
    turned = [rung(title, opposite, late=0.97) for title in ("TwoActions", "MatchingAction")]
    assert RULE.ask(climbed(*turned)).link is Link.ACTION
    untrained = [rung(title, untrained_agent, late=0.97) for title in ("TwoActions", "MatchingAction")]
    assert RULE.ask(climbed(*untrained)).link is Link.EVALUATION


def opposite(probe, seed):
    """Names the other action, and surely."""
    return agent(
        probe, act=lambda state: 1 - probe.world.oracle(state), sample=lambda state: 1 - probe.world.oracle(state)
    )


def untrained_agent(probe, seed):
    """Names the other action by accident: its draws are a coin toss."""
    toss = np.random.default_rng(seed)
    return agent(probe, act=lambda state: 1 - probe.world.oracle(state), sample=lambda state: int(toss.integers(2)))


def test_values_of_a_policy_that_learns_nothing_are_not_blamed():
    idle = rung("TwoActions", mistaken("never learned"), early=0.51, late=0.5)
    finding = RULE.ask(climbed(rung("ConstantReward"), idle))
    assert finding.link is Link.OPTIMIZER
    assert "the value" not in finding.message


def test_sure_of_the_wrong_action_while_a_higher_rung_holds_is_too_large_a_step():
    sure = rung("TwoActions", acting(lambda state: 0), early=0.3, late=0.0)
    assert RULE.ask(climbed(sure, rung("MatchingAction"))).link is Link.OPTIMIZER
    assert RULE.ask(climbed(sure)).link is Link.POLICY
