from __future__ import annotations

import pytest

from tests.outcomes import climbed, mistaken, rung, valued
from weaklink.base.finding import Level
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB106")


def sick():
    return [
        climbed(rung("TimeLimit", mistaken("time limit taken for a terminal"))),
        climbed(rung("TimeLimit", mistaken("no discount"))),
        climbed(rung("TimeLimit", mistaken("only the immediate reward"))),
        climbed(rung("TimeLimitContinuous", mistaken("time limit taken for a terminal"))),
        climbed(rung("TimeLimit", valued(lambda state: 3.6))),
        climbed(rung("LastObservation", mistaken("bootstraps from the next episode's start at a time limit"))),
        climbed(
            rung("LastObservationContinuous", mistaken("bootstraps from the next episode's start at a time limit"))
        ),
    ]


def healthy():
    return [
        climbed(rung("TimeLimit")),
        climbed(rung("TimeLimitContinuous")),
        climbed(rung("TimeLimit", valued(lambda state: 6.0))),
        climbed(rung("TimeLimit", first=mistaken("time limit taken for a terminal"))),
        climbed(rung("LastObservation")),
        climbed(rung("LastObservationContinuous")),
        climbed(rung("LastObservation", mistaken("time limit taken for a terminal"))),
    ]


@pytest.mark.parametrize(
    ("mistake", "words", "link"),
    [
        ("time limit taken for a terminal", "a time limit is treated like a terminal", Link.ENVIRONMENT),
        ("no discount", "the discount is not applied", Link.RETURNS),
        ("only the immediate reward", "only the immediate reward", Link.RETURNS),
    ],
)
def test_names_the_mistake(mistake, words, link):
    lower = [rung(title) for title in ("ConstantReward", "ObservedReward")]
    finding = RULE.ask(climbed(*lower, rung("TimeLimit", mistaken(mistake))))
    assert finding.link is link
    assert words in finding.message


def test_the_start_of_the_next_episode_is_told_from_one_that_is_taken_in_at_every_end():
    lower = [rung(title) for title in ("ConstantReward", "ObservedReward", "TimeLimit")]
    wrong = rung("LastObservation", mistaken("bootstraps from the next episode's start at a time limit"))
    finding = RULE.ask(climbed(*lower, wrong))
    assert finding.link is Link.ENVIRONMENT
    assert "at a time limit the target bootstraps from the first observation of the next episode" in finding.message
    assert "at the end of an episode the target bootstraps" not in finding.message


def test_values_that_grow_without_end_are_recognised_on_their_way():
    assert "discount" in RULE.ask(climbed(rung("TimeLimit", valued(lambda state: 60.0)))).message


def test_a_climb_that_is_still_going_on_is_called_slow():
    finding = RULE.ask(climbed(rung("TimeLimit", valued(lambda state: 4.2), first=valued(lambda state: -0.5))))
    assert finding.level is Level.WARN
    assert finding.link is Link.OPTIMIZER
