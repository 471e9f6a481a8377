from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB202")


def explained(share, **mistakes):
    return climbed("ScoredToken", measure("gradient explained", "by the tokens written", share, **mistakes))


def sick():
    return [explained(0.37, the_token_before=1.0), explained(0.2, the_token_after=0.99), explained(0.5)]


def healthy():
    return [explained(1.0, the_token_before=0.2), explained(0.95)]


def test_names_the_shift():
    said = [RULE.ask(outcome).message for outcome in sick()]
    assert "not shifted" in said[0]
    assert "shifted twice" in said[1]
    assert "not that of the tokens" in said[2]
