from __future__ import annotations

import pytest

from tests.outcomes import acting, agent, climbed, rung, spread
from weaklink.base.finding import CannotTell
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB118")


def sick():
    return [
        climbed(rung("EntropyTemperature", drawing(1.0))),
        climbed(rung("EntropyTemperature", drawing(0.005))),
    ]


def healthy():
    return [
        climbed(rung("EntropyTemperature")),
        climbed(rung("EntropyTemperature", drawing(0.16))),
        climbed(rung("EntropyTemperature", drawing(0.4, target_entropy=0.3))),
        climbed(rung("EntropyTemperature", first=drawing(1.0))),
    ]


def drawing(width, temperature=0.1, **shown):
    return lambda probe, seed: agent(probe, sample=spread(probe, seed, width), temperature=temperature, **shown)


@pytest.mark.parametrize(("width", "word"), [(1.0, "above"), (0.005, "below")])
def test_says_to_which_side_the_entropy_ran(width, word):
    finding = RULE.ask(climbed(rung("EntropyTemperature", drawing(width))))
    assert finding.link is Link.EXPLORATION
    assert f"settles {word} its target" in finding.message


@pytest.mark.parametrize(
    ("width", "temperature", "link"),
    [
        (1.0, 30.0, Link.EXPLORATION),  # both run up: the sign of the temperature's loss
        (1.0, 0.001, Link.POLICY),  # the temperature fell as it should, and the policy does not follow
        (0.005, 30.0, Link.POLICY),  # the temperature rose as it should, and the policy does not follow
        (0.005, 0.001, Link.EXPLORATION),  # both run down
    ],
)
def test_the_temperature_tells_the_controller_from_the_policy(width, temperature, link):
    finding = RULE.ask(climbed(rung("EntropyTemperature", drawing(width, temperature))))
    assert finding.link is link
    assert f"{temperature:g}" in finding.message


def test_agents_without_a_temperature_are_not_judged():
    assert isinstance(RULE.ask(climbed(rung("EntropyTemperature", acting(lambda state: 0.0)))), CannotTell)
