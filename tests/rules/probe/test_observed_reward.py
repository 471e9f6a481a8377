from __future__ import annotations

import pytest

from tests.outcomes import acting, climbed, mistaken, rung, valued
from weaklink.base.loop import Link
from weaklink.judge.rules._registry import find_rule

RULE = find_rule("PRB102")


def sick():
    return [
        *(
            climbed(rung("ConstantReward"), rung("ObservedReward", mistaken(name)))
            for name in ("the same value everywhere", "never negative", "reset stored as a step")
        ),
        climbed(rung("ObservedReward", mistaken("bootstraps from the next episode's start"))),
        climbed(rung("ObservedRewardContinuous", valued(lambda state: 0.0))),
    ]


def healthy():
    return [
        climbed(rung("ObservedReward")),
        climbed(rung("ObservedRewardContinuous")),
        climbed(rung("ObservedReward", first=mistaken("the same value everywhere"))),
        climbed(rung("ObservedReward", valued(lambda state: (-1.1, 0.9)[state]))),
    ]


@pytest.mark.parametrize(
    ("mistake", "link"),
    [
        ("the same value everywhere", Link.VALUE),
        ("never negative", Link.VALUE),
        ("reset stored as a step", Link.ENVIRONMENT),
        ("observation one step late", Link.DATA),
    ],
)
def test_blames_by_the_two_numbers(mistake, link):
    assert RULE.ask(climbed(rung("ConstantReward"), rung("ObservedReward", mistaken(mistake)))).link is link


def test_a_critic_that_learned_the_easiest_rung_is_not_said_to_learn_nothing():
    alone = RULE.ask(climbed(rung("ObservedReward", valued(lambda state: 0.0))))
    above = RULE.ask(climbed(rung("ConstantReward"), rung("ObservedReward", valued(lambda state: 0.0))))
    assert "stays at its initialisation" in alone.message
    assert "stays at its initialisation" not in above.message
    assert "constant-reward holds" in above.fix[1]


@pytest.mark.parametrize(("apart", "link"), [(0.0, Link.OBSERVATION), (0.01, Link.DATA)])
def test_where_the_policy_is_blind_too_the_last_digit_tells_lost_observations_from_mixed_rows(apart, link):
    blind = rung("ObservedReward", valued(lambda state: 0.02 + apart * state))
    policy = rung("MatchingAction", acting(lambda state: 1), early=0.5, late=0.5)
    assert RULE.ask(climbed(rung("ConstantReward"), blind, policy)).link is link
