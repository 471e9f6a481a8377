from __future__ import annotations

import pytest

from tests.recoveries import evaluated
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("EVA201")
FAULTS = ("stale", "raw", "other", "short")


def sick():
    return [evaluated(fault) for fault in FAULTS]


def healthy():
    # a copy is as good as the network itself where it is written to
    return [evaluated(), evaluated("copied")]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("stale", "a copy of Policy.body.2 whose weights never change"),
        ("raw", "prepared in another way than in training"),
        ("other", "Cart.friction is 0.5 there and 0.1 in training"),
        ("short", "give episodes up after 7 steps"),
    ],
)
def test_says_what_evaluations_do_otherwise(fault, said):
    assert said in RULE.ask(evaluated(fault)).message
