from __future__ import annotations

import numpy as np
import pytest

from tests.rules.reward.likenesses import atari, half_cheetah, humanoid_standup, mini_grid, swimmer
from tests.rules.task.tasks import (
    acrobot,
    blackjack,
    cart_pole,
    cliff_walking,
    ending,
    fetch,
    frozen_lake,
    go_to_door,
    lasting,
    lunar_lander,
    mountain_car,
    pendulum,
    survey_of,
)
from tests.worlds import play, with_play, world
from weaklink.base.evidence.survey import CUT, TRUNCATED, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, CannotTell, Level
from weaklink.judge.rules.reward.sparse import sparse


def prized(policy: str, prizes: int, episodes: int = 300, length: int = 100, ends: int = TRUNCATED) -> Play:
    """So many of the episodes end with a prize."""
    return ending(policy, np.arange(episodes) < prizes, np.full(episodes, length), ends)


def maze(found: int = 1, search: int = 0, **more: int) -> Survey:
    """A prize in so many of 300 episodes of random play and of the others."""
    plays = [prized("random", found), prized("search", search)]
    return survey_of(*plays, *(prized(name, prizes) for name, prizes in more.items()))


def sick():
    return [
        maze(),
        maze(found=2, search=2),
        maze(found=0, search=2),
        maze(found=1, tabular=1),
        # worth knowing only
        frozen_lake(),
        mini_grid(),
        go_to_door(),
        atari(1.0),
        maze(found=0, tabular=200),
    ]


def healthy():
    return [
        world(),
        cart_pole(),
        mountain_car(),
        acrobot(),
        pendulum(),
        cliff_walking(),
        blackjack(),
        lunar_lander(),
        fetch({"random": 0.05, "search": 0.1}),
        half_cheetah(),
        swimmer(),
        humanoid_standup(),
        atari(1.0, chance=0.08),
        # nothing at all is another illness
        survey_of(prized("random", 0), prized("search", 0)),
    ]


@pytest.mark.parametrize(
    "survey",
    [frozen_lake(), frozen_lake(chance=0.0, search=0.0), mini_grid(), go_to_door(), atari(1.0), maze(tabular=200)],
    ids=["frozen lake", "frozen lake 8x8", "mini grid", "go to door", "atari", "found by one"],
)
def test_only_worth_knowing_where_somebody_meets_reward(survey):
    assert sparse(survey).level == Level.INFO


@pytest.mark.parametrize("more", [{"found": 3}, {"search": 3}, {"tabular": 3}, {"automaton": 3}, {"cheat": 3}])
def test_one_episode_in_a_hundred_is_often_enough(more):
    assert sparse(maze(**more)).level == Level.INFO
    assert sparse(maze(**dict.fromkeys(more, 2))).level == Level.WARN


def test_a_constant_action_that_gets_there_shows_that_the_goal_is_within_reach():
    """As on ice, where always pushing the same way drifts to the goal more often than wandering does."""
    assert sparse(maze(found=2, search=0, constant=100)).level == Level.INFO
    assert sparse(maze(found=2, search=0, constant=2)).level == Level.WARN


def test_the_message_says_how_rare():
    answer = sparse(maze(found=2, search=1))
    assert "Only 0.01% of the steps of random play" in answer.message
    assert "no more than 0.7% of the episodes of random and search" in answer.message
    assert answer.evidence[0].value == pytest.approx(2 / 30_000)
    assert "67% of the episodes of tabular play contain one" in sparse(maze(tabular=200)).message


def test_no_alarm_without_a_policy_that_searches():
    assert sparse(survey_of(prized("random", 1), prized("zero", 0))).level == Level.INFO


def test_no_alarm_over_a_few_episodes():
    def few(episodes):
        plays = [prized("random", 0, episodes), prized("search", 0, episodes)]
        return survey_of(*plays, prized("zero", 1, 200))

    assert sparse(few(19)).level == Level.INFO
    assert sparse(few(20)).level == Level.WARN


def test_a_prize_in_an_episode_that_was_cut_short_is_met_all_the_same():
    cut = [prized(name, 150, ends=CUT) for name in ("random", "search")]
    assert sparse(survey_of(*cut)).level == Level.INFO


def test_the_share_of_steps_and_the_size_of_a_reward():
    def paying(share, size=1.0):
        rewards = np.where(np.arange(5000) % 100 < 100 * share, size, 0.0)
        return with_play(world(), random=play(rewards=rewards))

    assert sparse(paying(0.05)) is None
    assert sparse(paying(0.04)).level == Level.INFO
    assert sparse(paying(0.04), share=0.03) is None


@pytest.mark.parametrize("unit", [1.0, 0.0005, 300.0])
def test_a_reward_is_small_beside_the_largest_in_any_unit(unit):
    def paying(size):
        rewards = unit * np.where(np.arange(5000) % 2 == 0, size, 0.0)
        rewards[-1] = unit
        return survey_of(play(rewards=rewards), prized("search", 0))

    assert sparse(paying(1.1e-4)) is None
    assert sparse(paying(-1.1e-4)) is None
    assert sparse(paying(0.9e-4)).level == Level.INFO


@pytest.mark.parametrize("cost", [-1.0, -0.0005])
def test_a_fixed_cost_of_every_step_is_not_sparse_in_any_unit(cost):
    assert sparse(survey_of(lasting("random", [100] * 60, cost), lasting("search", [100] * 30, cost))) is None


def test_confidence_grows_with_steps():
    assert sparse(maze()).confidence == HIGH
    assert sparse(survey_of(prized("random", 1, 40), prized("search", 0, 40))).confidence == MEDIUM


def test_leaves_what_is_not_a_number_and_what_is_never_paid_to_others():
    broken = with_play(maze(), random=play(rewards=np.full(5000, np.nan)))
    assert isinstance(sparse(broken), CannotTell)
    unpaid = survey_of(prized("random", 0), prized("search", 0))
    assert "all-zero" in sparse(unpaid).why


def test_what_only_a_search_ever_meets_is_a_warning():
    answer = sparse(maze(found=0, search=200))
    assert answer.level == Level.WARN
    assert "but none of those of policies that do not search for it" in answer.message
    # random play meets it now and then, a constant action or the table does, your own policy does
    assert sparse(maze(found=3, search=200)).level == Level.INFO
    assert sparse(maze(found=0, search=200, tabular=200)).level == Level.INFO
    assert sparse(maze(found=0, search=200, constant=5)).level == Level.INFO
    assert sparse(maze(found=0, search=100, automaton=200)).level == Level.INFO


def test_random_play_alone_tells_where_it_never_meets_anything():
    alone = survey_of(prized("random", 0), play("policy", level=1.0))
    assert isinstance(sparse(alone), CannotTell)
    some = survey_of(prized("random", 0), prized("zero", 1))
    assert sparse(some).level == Level.INFO
