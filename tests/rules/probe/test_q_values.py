from __future__ import annotations

import pytest

from tests.outcomes import agent, climbed, mistaken, rung, valued
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB117")


def sick():
    return [
        *(
            climbed(rung("QValues", mistaken(name)))
            for name in (
                "terminal ignored",
                "mask inverted",
                "only the immediate reward",
                "bootstraps from its own value",
            )
        ),
        climbed(rung("QValues", lambda probe, seed: agent(probe, q=best_only))),
        climbed(rung("QValuesContinuous", mistaken("advantage for a target"))),
    ]


def healthy():
    return [
        climbed(rung("QValues")),
        climbed(rung("QValuesContinuous")),
        climbed(rung("QValues", first=mistaken("never learned"))),
    ]


def best_only(state, choice):
    """The best action's value at every action."""
    return (0.9, 1.0)[state]


@pytest.mark.parametrize(
    ("mistake", "link"),
    [
        ("terminal ignored", Link.ENVIRONMENT),
        ("mask inverted", Link.RETURNS),
        ("reward with the wrong sign", Link.REWARD),
        ("never learned", Link.OPTIMIZER),
    ],
)
def test_blames_by_the_four_numbers(mistake, link):
    assert RULE.ask(climbed(rung("QValues", mistaken(mistake)))).link is link


def test_values_that_are_right_for_the_best_action_alone_blame_the_value():
    finding = RULE.ask(climbed(rung("QValues", lambda probe, seed: agent(probe, q=best_only))))
    assert finding.link is Link.VALUE
    assert "action 1" in finding.message


def test_agents_without_values_of_actions_are_not_judged():
    assert isinstance(RULE.ask(climbed(rung("QValues", valued(lambda state: 1.0)))), CannotTell)
