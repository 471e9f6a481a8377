from __future__ import annotations

from tests.recoveries import atoms, dqn, quantiles
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("VAL210")


def sick():
    return [atoms(fault="narrow")]


def healthy():
    return [atoms()]


def test_says_how_much_lies_beyond_the_support():
    found = RULE.ask(atoms(fault="narrow"))
    # a reward of 1 moves everything by a third of a support from 0 to 3
    assert 0.2 < found.evidence[0].value < 0.4
    assert "too narrow for the returns" in found.message


def test_other_critics_have_no_support():
    assert isinstance(RULE.ask(dqn()), CannotTell)
    assert isinstance(RULE.ask(quantiles()), CannotTell)
