from __future__ import annotations

import numpy as np
import pytest

from tests.rules.task.tasks import (
    bandit,
    blackjack,
    cart_pole,
    ending,
    frozen_lake,
    go_to_door,
    lasting,
    mountain_car,
    survey_of,
)
from tests.worlds import changed, with_play, world
from weaklink.base.evidence.survey import CUT, TRUNCATED
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.task.dies_at_once import dies_at_once


def doomed(search: int = 5, **given):
    """Every policy falls within a few steps."""
    rng = np.random.default_rng(0)
    return survey_of(
        lasting("random", rng.integers(2, 7, 100), 1.0),
        lasting("zero", rng.integers(2, 7, 100), 1.0),
        lasting("search", np.full(30, search) - rng.integers(0, 3, 30), 1.0),
        **given,
    )


def jobs(name):
    """Six jobs to assign, whatever is done, each at its own cost."""
    made = ending(name, np.zeros(50), np.full(50, 6))
    return changed(made, rewards=-np.random.default_rng(0).random(len(made.rewards)))


def sick():
    crash = [ending(name, np.full(50, -100.0), np.full(50, 3)) for name in ("random", "search")]
    return [doomed(), survey_of(*crash), blackjack(), bandit(), go_to_door()]


def healthy():
    pendulum_that_falls = doomed(500)  # random play falls after 4 steps, the search balances
    return [cart_pole(), frozen_lake(), mountain_car(), world(), pendulum_that_falls]


def level_of(survey) -> Level:
    answer = dies_at_once.rule.ask(survey)
    assert isinstance(answer, Finding)
    return answer.level


def test_an_alarm_where_nobody_lasts():
    assert level_of(doomed()) == Level.WARN
    assert "by step 4 with the longest-lived of random, zero and search." in dies_at_once(doomed()).message


@pytest.mark.parametrize(
    ("survey", "why"),
    [
        (blackjack(), "search still does better than random play"),
        (bandit(), "some of them end well"),
        (go_to_door(), "some of them end well"),
        (survey_of(*(jobs(name) for name in ("random", "search")), facts={}), "every episode takes exactly as many"),
        (survey_of(lasting("random", np.full(40, 5), 1.0, TRUNCATED)), "the time limit is that short"),
    ],
)
def test_short_by_design_is_worth_knowing_only(survey, why):
    assert level_of(survey) == Level.INFO
    assert why in dies_at_once(survey).message


def test_a_long_time_limit_says_that_they_were_not_meant_to_be_short():
    assert level_of(changed(blackjack(), facts={"max_episode_steps": 1000})) == Level.WARN


def test_one_step_that_always_pays_the_same_is_no_design():
    same = survey_of(*(lasting(name, np.full(50, 1), 0.0) for name in ("random", "search")))
    assert level_of(same) == Level.WARN


def test_a_time_limit_that_leaves_no_difference_is_too_short():
    alike = survey_of(*(lasting(name, np.full(40, 4), 1.0, TRUNCATED) for name in ("random", "search")))
    assert level_of(alike) == Level.WARN
    differing = survey_of(
        lasting("random", np.full(40, 4), 1.0, TRUNCATED), lasting("search", np.full(40, 4), 2.0, TRUNCATED)
    )
    assert level_of(differing) == Level.INFO


def test_a_policy_that_lasts_shows_that_it_can_be_done():
    assert dies_at_once(with_play(doomed(), policy=lasting("policy", np.full(20, 90), 1.0))) is None


def test_a_long_episode_that_was_cut_counts():
    cut = lasting("search", np.full(3, 800), 1.0, CUT)
    assert dies_at_once(with_play(doomed(), search=cut)) is None


def test_few_episodes_do_not_tell():
    assert isinstance(dies_at_once(survey_of(lasting("random", np.full(10, 3), 1.0))), CannotTell)


def test_a_course_that_lasts_shows_that_actions_decide():
    assert level_of(doomed(lasting=(20, 20, 20, 7), facts={"max_episode_steps": 1000})) is Level.INFO
    assert "some course of actions lasts 20 steps and more" in dies_at_once(doomed(lasting=(20,) * 8)).message
    assert level_of(doomed(lasting=(7, 6, 20))) is Level.WARN
    # on a slow machine there was time for one start
    assert level_of(doomed(lasting=(20,))) is Level.INFO
    assert level_of(doomed(lasting=(7,))) is Level.WARN


def test_starts_that_are_over_before_anything_is_done_are_an_alarm_although_others_last():
    """A rod that starts leaning further than it may: half of the starts cannot be held, and a search holds others."""
    given = doomed(lasting=(20, 1, 1, 20, 20, 1))
    assert level_of(given) is Level.WARN
    assert "from 3 of 6 starts the first step ends every course of actions" in dies_at_once(given).message
    assert level_of(doomed(lasting=(20, 1, 20, 20, 20, 20))) is Level.INFO
    assert level_of(changed(go_to_door(), lasting=(20, 1, 1, 20, 20, 1))) is Level.INFO


def test_starts_that_are_all_over_at_once_are_an_alarm_where_an_episode_can_last():
    """A rope that is begun beyond the lean at which one falls: a few starts are drawn back, and show what was meant."""
    rng = np.random.default_rng(0)
    paid = [lasting(name, np.full(200, 1), -1.0) for name in ("constant", "search")]
    paid = [changed(one, rewards=-1.0 - 0.1 * (rng.random(200) < 0.5)) for one in paid]
    few = lasting("random", np.r_[np.full(300, 1), 14, 15], -0.1)
    assert level_of(survey_of(few, *paid, lasting=(1,) * 6, facts={"max_episode_steps": 150})) is Level.WARN
    # a bandit of one step, whatever is done
    only = lasting("random", np.full(300, 1), -0.1)
    assert level_of(survey_of(only, *paid, lasting=(1,) * 6, facts={})) is Level.INFO


def test_random_play_alone_does_not_tell_that_nobody_lasts():
    alone = survey_of(lasting("random", np.full(40, 5), -1.0))
    assert isinstance(dies_at_once.rule.ask(alone), CannotTell)
    assert level_of(survey_of(*(lasting(name, np.full(40, 5), -1.0) for name in ("random", "search")))) == Level.WARN
