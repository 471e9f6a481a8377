from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB211")


def held(left=0.1, first=1.0, last=1.0):
    return climbed(
        "ReferenceHold",
        measure("KL left", "of the distance at the start", left),
        measure("weight of the KL", "first update", first),
        measure("weight of the KL", "last update", last),
    )


def sick():
    return [held(3.0, -1.0, -1.0), held(0.1, 2.0, 2.0), held(1.5, 0.0, 0.0), held(1.2, 1.0, 0.1), held(1.1)]


def healthy():
    return [held(), held(0.5, 0.95, 1.05)]


def test_names_what_is_wrong_with_the_kl():
    said = [RULE.ask(outcome).message for outcome in sick()]
    assert "wrong sign" in said[0]
    assert "counts 2 times" in said[1]
    assert "does not act" in said[2]
    assert "the reference moves" in said[3]
    assert "does not pull" in said[4]
