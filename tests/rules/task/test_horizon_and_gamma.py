from __future__ import annotations

import pytest

from tests.rules.task.tasks import survey_of
from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import LIMITED
from weaklink.base.finding import LOW, MEDIUM, CannotTell, Finding, Level
from weaklink.judge.rules.task.horizon_and_gamma import horizon_and_gamma


def lasting(length: int, gamma: float, **given):
    return survey_of(play("random", length=length, episodes=20, **given), config={"gamma": gamma})


def sick():
    return [
        lasting(50, 0.9),
        lasting(50, 0.995),
        lasting(50, 1.0),
        lasting(1000, 0.95),
        lasting(1000, 0.9999),
        lasting(1000, 0.9, ends=LIMITED),
        lasting(200, 0.8),
        lasting(3, 0.5),
    ]


def healthy():
    return [
        lasting(50, 0.97),
        lasting(200, 0.99),
        lasting(1000, 0.99),
        lasting(1000, 0.995),
        lasting(2, 0.99),  # a game of two moves
        lasting(1, 1.0),
        world(),
    ]


def test_it_is_never_an_alarm():
    assert all(horizon_and_gamma.rule.ask(survey).level == Level.INFO for survey in sick())


def test_the_message_has_both_lengths():
    answer = horizon_and_gamma(lasting(1000, 0.95))
    assert isinstance(answer, Finding)
    assert "0.95 looks about 20 steps ahead, an episode of random lasts 1,000" in answer.message
    assert answer.confidence == MEDIUM
    assert horizon_and_gamma(lasting(50, 1.0)).confidence == LOW


def test_the_best_play_sets_the_length_and_the_policy_before_it():
    survey = world({"gamma": 0.99}, plays={"random": play(length=20), "search": play("search", level=9, length=900)})
    assert horizon_and_gamma(survey) is None
    assert "of policy lasts 60" in horizon_and_gamma(with_play(survey, policy=play("policy", length=60))).message


@pytest.mark.parametrize("gamma", [None, -0.1, 1.5, "auto"])
def test_without_a_discount_it_cannot_tell(gamma):
    assert isinstance(horizon_and_gamma(world({"gamma": gamma})), CannotTell)
