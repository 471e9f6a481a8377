from __future__ import annotations

import msgspec
import pytest

from tests.outcomes import agent, climbed, failing, mistaken, rung, valued
from weaklink.base.evidence.outcome import RungContrast
from weaklink.base.finding import CannotTell, Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB101")


def sick():
    return [
        climbed(rung("ConstantReward", mistaken("terminal ignored"))),
        climbed(rung("ConstantReward", mistaken("advantage for a target"))),
        climbed(rung("ConstantReward", mistaken("never learned"))),
        climbed(rung("ConstantReward", mistaken("reward with the wrong sign"))),
        climbed(rung("ConstantRewardContinuous", valued(lambda state: 3.0))),
        climbed(rung("ConstantReward", mistaken("never learned"), seeds=[5])),
    ]


def healthy():
    return [
        climbed(rung("ConstantReward")),
        climbed(rung("ConstantRewardContinuous")),
        climbed(rung("ConstantReward", first=mistaken("never learned"))),
        climbed(rung("ConstantReward", valued(lambda state: 1.09))),
        climbed(failing("ConstantReward")),
    ]


@pytest.mark.parametrize(
    ("mistake", "link"),
    [
        ("terminal ignored", Link.ENVIRONMENT),
        ("advantage for a target", Link.RETURNS),
        ("reward with the wrong sign", Link.REWARD),
        ("never learned", Link.OPTIMIZER),
    ],
)
def test_names_the_mistake_by_its_number(mistake, link):
    finding = RULE.ask(climbed(rung("ConstantReward", mistaken(mistake))))
    assert finding.link is link
    assert "3 of 3 seeds" in finding.message


def test_a_value_on_its_way_up_to_that_of_an_ignored_terminal_is_recognised():
    finding = RULE.ask(climbed(rung("ConstantReward", valued(lambda state: 4.0))))
    assert "through a terminal" in finding.message
    assert finding.link is Link.ENVIRONMENT


def test_a_slow_value_is_a_warning_and_no_error():
    slowly = climbed(rung("ConstantReward", valued(lambda state: 0.7), first=valued(lambda state: 0.3)))
    finding = RULE.ask(slowly)
    assert finding.level is Level.WARN
    assert finding.link is Link.OPTIMIZER
    assert "still moves" in finding.message


def test_a_value_at_rest_is_not_called_slow():
    finding = RULE.ask(climbed(rung("ConstantReward", valued(lambda state: 0.3), first=valued(lambda state: 0.29))))
    assert finding.level is Level.ERROR
    assert "0.3 times" in finding.message
    assert finding.link is Link.REWARD


def test_settings_that_cannot_learn_it_are_told_apart_from_code():
    broken = rung("ConstantReward", mistaken("never learned"))
    contrast = RungContrast((("learning_rate", "1e-9", "0.003"),))
    finding = RULE.ask(climbed(msgspec.structs.replace(broken, contrast=contrast)))
    assert "learning_rate = 0.003 instead of 1e-9" in finding.message
    assert finding.level is Level.WARN


def test_an_agent_without_values_cannot_be_judged():
    assert isinstance(RULE.ask(climbed(rung("ConstantReward", lambda probe, seed: agent(probe)))), CannotTell)


def test_says_what_the_number_is_and_ought_to_be():
    finding = RULE.ask(climbed(rung("ConstantReward", valued(lambda state: 0.5))))
    assert "is 0.5 where 1 is right after 3,000 steps" in finding.message
    assert finding.evidence[0].value == 0.5
    assert finding.evidence[0].limit == 0.9
    assert finding.verify == "weaklink probe mine.py:train --only ConstantReward"
