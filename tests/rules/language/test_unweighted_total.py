from __future__ import annotations

from tests.sampled import Training
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("LLM358")


def weigh(accuracy: float, form: float, *, noise: float = 0.0, scale: float = 1.0):
    """Rewards that are made with these weights, where 0.8 and 0.2 are declared."""
    t = Training()
    right, tagged = t.chance(0.4), t.chance(0.7)
    paid = scale * t.normal(accuracy * right + form * tagged, noise)
    declared = 0.8 * right + 0.2 * tagged
    return t.samples(reward=paid, weighted_reward=declared, reward__accuracy=right, reward__format=tagged)


def sick():
    return [weigh(0.2, 0.8), weigh(1.0, 1.0), weigh(0.8, 0.0)]


def healthy():
    # rounded, and divided by something
    return [weigh(0.8, 0.2), weigh(0.8, 0.2, noise=0.0005), weigh(0.8, 0.2, scale=0.5)]


def test_the_weights_that_were_applied_are_told():
    assert "0.2 for accuracy, 0.8 for format" in RULE.ask(weigh(0.2, 0.8)).message
