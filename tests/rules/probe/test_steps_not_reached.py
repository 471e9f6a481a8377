from __future__ import annotations

from tests.rules.probe.climbs import climb, every_other_failure, lost, rung
from weaklink.judge.rules._registry import find_rule


def sick():
    return [
        climb(rung(lost("short", "600 of 3,000 steps were made", taken=600))),
        climb(rung(lost("short", "0 of 3,000 steps were made"), lost("short", "0 of 3,000 steps were made", 1))),
    ]


def healthy():
    return every_other_failure("short")


def test_counts_the_steps():
    assert find_rule("PRB123").ask(sick()[0]).message == (
        "The training on weaklink/ConstantReward-v0 ended after 600 of 3,000 steps, in 1 of 1 training."
    )
