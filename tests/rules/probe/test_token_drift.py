from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB201")


def drifted(by, **mistakes):
    return climbed("TokenDrift", measure("drift", "of the first token's distribution", by, **mistakes))


def sick():
    return [drifted(0.4, no_baseline=1.0), drifted(0.05), drifted(float("nan"))]


def healthy():
    return [drifted(0.0), drifted(0.004)]


def test_names_what_moves_it():
    said = [RULE.ask(outcome).message for outcome in sick()]
    assert "without the group-mean baseline" in said[0]
    assert "equal reward" in said[1]
    assert "divides by zero" in said[2]
