from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB208")


def ended(weight=1.0, likely=0.99):
    return climbed(
        "EndingToken",
        measure("weight of the end", "against other tokens", weight),
        measure("probability", "of ending at once", likely),
    )


def sick():
    return [ended(0.0, 0.1), ended(0.0), ended(likely=0.2)]


def healthy():
    return [ended(), ended(0.9, 0.7)]


def test_names_the_mask_where_the_end_weighs_nothing():
    assert "leaves the EOS token out" in RULE.ask(ended(0.0)).message
    assert "does not learn it" in RULE.ask(ended(likely=0.2)).message
