from __future__ import annotations

from tests.outcomes import acting, climbed, rung
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB112")


def sick():
    return [
        climbed(rung("TwoActions"), rung("Memory", acting(lambda state: 1), early=0.5, late=0.5)),
        climbed(rung("TwoActions"), rung("Memory", acting(lambda state: 5 - state), late=0.1)),
    ]


def healthy():
    return [
        climbed(rung("Memory")),
        climbed(rung("Memory", first=acting(lambda state: 1))),
    ]


def test_no_memory_is_the_same_action_after_both_signs():
    finding = RULE.ask(sick()[0])
    assert finding.link is Link.DATA
    assert "sequences are cut" in finding.fix[0]


def test_memory_while_training_that_is_lost_afterwards_blames_the_evaluation():
    finding = RULE.ask(climbed(rung("Memory", acting(lambda state: 1), late=0.95)))
    assert finding.link is Link.EVALUATION
