from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, costly_car, half_cheetah, humanoid_standup, mini_grid, swimmer
from tests.rules.task.tasks import (
    acrobot,
    cart_pole,
    ending,
    fetch,
    frozen_lake,
    lasting,
    mountain_car,
    pendulum,
    survey_of,
)
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.config import Config
from weaklink.base.evidence.survey import CUT, TRUNCATED, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Level
from weaklink.judge.rules.reward.return_scale import return_scale


def steady(pay: float, length: int = 200) -> Survey:
    return survey_of(*(lasting(name, np.full(40, length), pay, TRUNCATED) for name in ("random", "search")))


def sick():
    return [
        steady(1000.0),
        steady(-2000.0),
        survey_of(play(level=1e6, spread=1000.0), play("search", level=2e6, spread=1000.0)),
        # worth knowing only
        cart_pole(),
        mountain_car(),
        acrobot(),
        pendulum(),
        fetch({"random": 0.05, "search": 0.1}),
        half_cheetah(),
        humanoid_standup(),
    ]


def healthy():
    wrappers = ("TimeLimit", "OrderEnforcing", "NormalizeReward")
    return [
        frozen_lake(),
        mini_grid(),
        atari(1.0),
        swimmer(),
        costly_car(),
        steady(0.09),
        # normalised: by the settings, by a wrapper, by a vector environment
        changed(steady(1000.0), config=Config.of({"norm_reward": True})),
        changed(steady(1000.0), facts={"wrappers": wrappers}),
        changed(steady(1000.0), facts={"normalises_rewards": True}),
        # a trained policy is not judged
        with_play(frozen_lake(), policy=play("policy", level=1e6)),
    ]


@pytest.mark.parametrize(
    "survey",
    [cart_pole(), mountain_car(), acrobot(), pendulum(), half_cheetah(), humanoid_standup()],
    ids=["cart pole", "mountain car", "acrobot", "pendulum", "half cheetah", "humanoid standup"],
)
def test_size_alone_is_told_and_not_warned_of(survey):
    answer = return_scale(survey)
    assert (answer.level, answer.confidence) == (Level.INFO, MEDIUM)


def test_an_alarm_where_single_rewards_are_huge_as_well():
    answer = return_scale(steady(600.0))
    assert (answer.level, answer.confidence) == (Level.WARN, HIGH)
    assert "single rewards are about 600 in size" in answer.message
    # large returns of many ordinary rewards, and huge rewards with returns within bounds
    assert return_scale(steady(50.0)).level == Level.INFO
    assert return_scale(steady(900.0, length=1)).level == Level.INFO
    assert return_scale(steady(50.0), huge_reward=40.0).level == Level.WARN
    assert return_scale(steady(50.0), huge_reward=40.0, huge=1e6).level == Level.INFO


def test_the_level_grows_with_the_distance_from_every_healthy_environment():
    """The returns of HumanoidStandup, a few thousand, are the largest of them."""
    warned, wrong = return_scale(steady(-480.0)), return_scale(steady(10_000.0))
    assert (warned.level, wrong.level) == (Level.WARN, Level.ERROR)
    assert "times past the largest of" in warned.message
    assert "in HumanoidStandup-v5" in warned.message


def test_what_a_trained_policy_earns_in_a_healthy_environment_is_no_alarm():
    """Fares in euros: a flight brings in ten thousand, as a trained HumanoidStandup does."""
    assert return_scale(steady(125.0)).level == Level.INFO
    assert return_scale(steady(250.0)).level == Level.INFO


def test_a_large_prize_at_the_end_is_one_reward_among_many():
    episodes = np.full(40, 20)
    prized = [
        play(name, lengths=episodes, rewards=ending(name, np.full(40, 5000.0), episodes).rewards - 1.0)
        for name in ("random", "search")
    ]
    assert return_scale(survey_of(*prized)).level == Level.INFO


def test_a_prize_that_is_paid_once_counts_for_its_size_where_nothing_else_is_paid():
    alone = survey_of(ending("random", np.full(40, 5000.0), np.full(40, 20)))
    assert return_scale(alone).level == Level.WARN


def test_says_what_to_divide_by():
    # 100 (1 - 0.99 ** 200) = 86.6, over 3 and rounded up to one digit
    answer = return_scale(steady(1.0))
    assert "divide rewards by about 30." in answer.message
    assert answer.evidence[0].value == pytest.approx(86.6, abs=0.1)
    assert "divide rewards by about 5." in return_scale(steady(12.3, length=1)).message


def test_takes_the_discount_that_is_set():
    survey = steady(1.0)
    assert return_scale(changed(survey, config=Config.of({"gamma": 0.85}))) is None
    assert return_scale(changed(survey, config=Config.of({"gamma": 0.95}))).level == Level.INFO


def test_a_few_outliers_do_not_count():
    def outliers(share):
        returns = np.where(np.arange(100) < share, 1e6, 1.0)
        return survey_of(ending("random", returns, np.full(100, 3)))

    assert return_scale(outliers(3)) is None
    assert return_scale(outliers(20)).level == Level.ERROR
    assert return_scale(outliers(60)).level == Level.ERROR


def test_judges_by_the_largest_play():
    answer = return_scale(cart_pole())
    assert "search play" in answer.message


def test_cannot_tell_without_a_whole_episode_or_a_number():
    assert isinstance(return_scale(survey_of(play(ends=CUT))), CannotTell)
    assert isinstance(return_scale(with_play(world(), random=play(rewards=np.full(5000, np.nan)))), CannotTell)
