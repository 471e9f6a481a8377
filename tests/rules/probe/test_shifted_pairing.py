from __future__ import annotations

import pytest

from tests.outcomes import climbed, mistaken, rung, valued
from weaklink.base.finding import HIGH
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB109")


def sick():
    return [
        *(
            climbed(rung("ShiftedPairing", mistaken(name)))
            for name in ("observation one step late", "reward one step early", "reset stored as a step")
        ),
        climbed(rung("ShiftedPairingContinuous", mistaken("reward one step early"))),
        climbed(rung("ShiftedPairing", valued(lambda state: (-0.5, 0.5, -0.5, 0.5, -0.5, 0.5)[state]))),
    ]


def healthy():
    return [
        climbed(rung("ShiftedPairing")),
        climbed(rung("ShiftedPairingContinuous")),
        climbed(rung("ShiftedPairing", first=mistaken("never learned"))),
    ]


@pytest.mark.parametrize(
    ("mistake", "link"),
    [
        ("observation one step late", Link.DATA),
        ("reward one step early", Link.DATA),
        ("reset stored as a step", Link.ENVIRONMENT),
    ],
)
def test_each_slip_has_its_numbers(mistake, link):
    finding = RULE.ask(climbed(rung("ShiftedPairing", mistaken(mistake, noise=0.0))))
    assert finding.link is link
    assert finding.confidence == HIGH


def test_a_slip_that_no_mistake_explains_blames_the_data_all_the_same():
    finding = RULE.ask(sick()[-1])
    assert finding.link is Link.DATA
    assert "different steps" in finding.message
