from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, humanoid_standup, mini_grid, swimmer
from tests.rules.task.tasks import (
    acrobot,
    blackjack,
    cart_pole,
    cliff_walking,
    frozen_lake,
    go_to_door,
    mountain_car,
    paid,
    pendulum,
    survey_of,
)
from tests.worlds import play, with_play
from weaklink.base.evidence.survey import CUT, Survey
from weaklink.base.finding import CannotTell, Level
from weaklink.judge.rules.reward.signal_drowned import signal_drowned


def noisy(episodes: int = 40, **levels: float) -> Survey:
    """Rewards of spread 1 around a level of each play, 50 steps an episode."""
    plays = []
    for name, level in ({"random": 0.0, "zero": 0.0, "search": 0.0} | levels).items():
        rewards = np.random.default_rng([7, *name.encode()]).normal(0.0, 1.0, (episodes, 50))
        rewards -= rewards.mean(axis=1, keepdims=True) * 0.9
        rewards += level - rewards.mean()
        plays.append(paid(name, list(rewards)))
    return survey_of(*plays)


def sick():
    return [
        noisy(),
        noisy(automaton=0.0),
        # worth knowing only
        noisy(search=1.0),
        noisy(random=0.3),
        swimmer(),
        blackjack(),
    ]


def healthy():
    return [
        cart_pole(),
        mountain_car(),
        mountain_car("tabular"),
        acrobot(),
        pendulum(),
        frozen_lake(),
        mini_grid(),
        go_to_door(),
        atari(-1.0, 1.0),
        humanoid_standup(),
        noisy(random=0.6),
        noisy(random=-0.6),
    ]


def test_an_alarm_where_no_two_policies_can_be_told_apart():
    answer = signal_drowned(noisy())
    assert answer.level == Level.WARN
    assert "the returns of random, zero and search do not differ" in answer.message
    assert answer.evidence[0].limit == 0.1


@pytest.mark.parametrize(
    "survey",
    [noisy(search=0.05), noisy(zero=-0.05), noisy(search=0.5), swimmer(), blackjack(), cliff_walking()],
    ids=["search is better", "nothing done is worse", "search is paid", "swimmer", "blackjack", "cliff walking"],
)
def test_a_small_mean_alone_is_no_alarm(survey):
    answer = signal_drowned(survey)
    assert answer is None or answer.level == Level.INFO


def test_one_policy_with_a_clear_signal_is_enough():
    # told apart or not, the reward of the search is no noise around zero
    assert signal_drowned(noisy(random=0.09, zero=0.09, search=0.09)).level == Level.WARN
    assert signal_drowned(noisy(random=0.11, zero=0.11, search=0.11)).level == Level.INFO


def test_no_alarm_without_a_policy_that_searches():
    survey = noisy()
    plays = {name: survey.plays[name] for name in ("random", "zero")}
    assert signal_drowned(survey_of(*plays.values())).level == Level.INFO


def test_no_alarm_over_a_few_episodes():
    assert signal_drowned(noisy(episodes=9)).level == Level.INFO
    assert signal_drowned(noisy(episodes=10)).level == Level.WARN


def test_the_steps_of_episodes_cut_short_count_for_nothing_but_their_scatter():
    cut = [play(name, ends=CUT, rewards=noisy(100).plays["random"].rewards) for name in ("random", "search")]
    assert signal_drowned(survey_of(*cut)).level == Level.INFO


def test_the_bounds_of_the_signal():
    assert signal_drowned(noisy(random=0.51)) is None
    assert signal_drowned(noisy(random=0.48)).level == Level.INFO
    assert signal_drowned(noisy(random=0.48), faint=0.4) is None
    assert signal_drowned(noisy(random=0.09, zero=0.09, search=0.09), drowned=0.05).level == Level.INFO


def test_rare_rewards_are_left_to_the_rule_on_them():
    def rare(often):
        chance = np.random.default_rng(3)
        rewards = np.where(chance.random(5000) < often, chance.choice([-1.0, 1.0], 5000), 0.0)
        return survey_of(play(rewards=rewards), play("search", rewards=rewards))

    assert signal_drowned(rare(0.04)) is None
    assert signal_drowned(rare(0.2)).level == Level.WARN


def test_cannot_tell_of_a_constant_or_of_too_little():
    assert isinstance(signal_drowned(cart_pole()), CannotTell)
    assert isinstance(signal_drowned(survey_of(play(episodes=3, length=33))), CannotTell)
    assert isinstance(signal_drowned(with_play(noisy(), random=play(rewards=np.full(5000, np.inf)))), CannotTell)
