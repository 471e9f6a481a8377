from __future__ import annotations

import pytest

from tests.outcomes import climbed, mistaken, rung, valued
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB107")


def sick():
    return [
        climbed(rung("Terminal", mistaken("no discount"))),
        climbed(rung("Terminal", mistaken("bootstraps from its own value"))),
        climbed(rung("Terminal", mistaken("observation one step late"))),
        climbed(rung("TerminalContinuous", mistaken("terminal ignored"))),
    ]


def healthy():
    return [
        climbed(rung("Terminal")),
        climbed(rung("TerminalContinuous")),
        climbed(rung("Terminal", first=mistaken("never learned"))),
        climbed(rung("Terminal", valued(lambda state: (2.5, 1.8, 1.1)[state]))),
    ]


@pytest.mark.parametrize(
    ("mistake", "link"),
    [
        ("no discount", Link.RETURNS),
        ("bootstraps from its own value", Link.RETURNS),
        ("mask inverted", Link.RETURNS),
        ("observation one step late", Link.DATA),
        ("the same value everywhere", Link.VALUE),
        ("never learned", Link.OPTIMIZER),
    ],
)
def test_blames_by_the_three_numbers(mistake, link):
    assert RULE.ask(climbed(rung("Terminal", mistaken(mistake, noise=0.01)))).link is link


def test_drifting_values_are_recognised_before_they_arrive():
    finding = RULE.ask(climbed(rung("Terminal", valued(lambda state: (9.5, 9.0, 8.5)[state]))))
    assert "through a terminal" in finding.message
