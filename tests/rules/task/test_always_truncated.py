from __future__ import annotations

import numpy as np
import pytest

from tests.rules.task.tasks import (
    acrobot,
    cart_pole,
    cliff_walking,
    fetch,
    frozen_lake,
    lasting,
    mountain_car,
    pendulum,
    survey_of,
)
from tests.worlds import changed, play, with_play, world
from weaklink.base.evidence.endings import EpisodeEnding
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, TERMINATED, TRUNCATED
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.task.always_truncated import always_truncated

SOLVED = lasting("policy", np.arange(90, 130), -1.0)


def sick():
    return [
        mountain_car("automaton"),
        with_play(mountain_car(), policy=SOLVED),
        fetch({"random": 0.0, "search": 0.0}),
        pendulum(),  # worth knowing
    ]


def healthy():
    both = mountain_car()
    both.plays["random"].ends[3] = BOTH
    return [cart_pole(), acrobot(), frozen_lake(), world(), both, cliff_walking()]


def level_of(survey) -> Level:
    answer = always_truncated.rule.ask(survey)
    assert isinstance(answer, Finding)
    return answer.level


def test_an_alarm_where_it_could_be_otherwise():
    assert level_of(mountain_car("automaton")) == Level.WARN
    assert level_of(with_play(mountain_car(), policy=SOLVED)) == Level.WARN
    assert level_of(fetch({"random": 0.0, "search": 0.0})) == Level.WARN
    seen = EpisodeEnding(end=TERMINATED, raised=False, warned=False, continued=0, restarted=False)
    assert level_of(changed(mountain_car(), endings=(seen,))) == Level.WARN


def test_no_alarm_where_the_task_has_no_end():
    assert level_of(pendulum()) == Level.INFO
    assert "no end by design" in always_truncated(pendulum()).message


def test_no_alarm_where_the_goal_is_reached_and_held():
    assert level_of(fetch({"random": 0.0, "search": 0.1})) == Level.INFO
    assert level_of(fetch({"random": 0.05})) == Level.INFO


def test_without_a_success_flag_only_rewards_tell_that_nobody_reaches_the_goal():
    unpaid = fetch({"random": 0.0, "search": 0.0}, key="phase")
    assert level_of(unpaid) == Level.WARN
    assert "no step is paid as if it reached the goal" in always_truncated(unpaid).message
    # the next goal is shown as soon as one is reached: the distance is paid, and nothing says how often
    assert level_of(fetch({"random": 0.0, "search": 0.0}, key="phase", climb=True)) == Level.INFO


def test_no_alarm_where_only_a_bad_policy_terminates():
    # surviving is the task, every baseline does, and the policy falls
    survival = survey_of(*(lasting(name, np.full(40, 100), 1.0, TRUNCATED) for name in ("random", "search")))
    assert level_of(with_play(survival, policy=lasting("policy", np.full(40, 20), 1.0))) == Level.INFO


def test_a_small_task_with_an_exact_answer_is_no_alarm():
    assert level_of(mountain_car("tabular")) == Level.INFO


@pytest.mark.parametrize(("end", "answer"), [(CUT, CannotTell), (LIMITED, type(None)), (TRUNCATED, Finding)])
def test_only_a_time_limit_counts(end, answer):
    assert isinstance(always_truncated(survey_of(play("random", episodes=40, ends=end))), answer)
