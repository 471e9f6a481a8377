from __future__ import annotations

from tests.token_outcomes import climbed, measure
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB203")


def masked(prompt=0.0, padding=0.0, off=0.0):
    return climbed(
        "TokenMask",
        measure("gradient share", "prompt tokens", prompt),
        measure("gradient share", "padding", padding),
        measure("log-probability off", "with padding against without", off),
    )


def sick():
    return [masked(prompt=0.4), masked(padding=0.08), masked(off=0.24)]


def healthy():
    return [masked(), masked(prompt=5e-4, off=1e-4)]


def test_names_what_was_let_through():
    said = [RULE.ask(outcome).message for outcome in sick()]
    assert "includes prompt tokens" in said[0]
    assert "includes padding" in said[1]
    assert "attention mask" in said[2]
