from __future__ import annotations

from tests.outcomes import acting, climbed, rung
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB111")


def sick():
    return [
        climbed(rung("ContinuousTarget"), rung("WideAction", acting(lambda state: TARGETS[state]))),
        climbed(rung("WideAction"), rung("VeryWideAction", acting(lambda state: max(TARGETS[state], 0.0)))),
        climbed(rung("VeryWideAction", acting(lambda state: 50.0))),
    ]


def healthy():
    return [
        climbed(rung("WideAction"), rung("VeryWideAction")),
        climbed(rung("WideAction", acting(lambda state: 1.8 * TARGETS[state]))),
        climbed(rung("VeryWideAction", first=acting(lambda state: 0.5))),
    ]


TARGETS = (-0.8, -0.4, 0.0, 0.4, 0.8)


def test_actions_that_are_not_scaled_are_recognised_in_both_ranges():
    for outcome in sick()[:2]:
        finding = RULE.ask(outcome)
        assert finding.link is Link.ACTION
        assert "within -1 and 1" in finding.message


def test_the_form_that_fails_is_named():
    assert "weaklink/VeryWideAction-v0" in RULE.ask(sick()[1]).message


def test_the_middle_of_the_range_is_another_matter():
    finding = RULE.ask(climbed(rung("VeryWideAction", acting(lambda state: 50.0))))
    assert "the middle of the range" in finding.message
