from __future__ import annotations

import numpy as np
import pytest

from tests.rules.task.tasks import ending, fetch, frozen_lake, lasting, lunar_lander, mountain_car, survey_of
from tests.worlds import box, changed, play, with_play, world
from weaklink.base.evidence.survey import TRUNCATED
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.task.goal_never_visited import goal_never_visited


def maze(*found: str, **given):
    """A prize at the end of a maze."""
    plays = []
    for name in ("random", "search", *found):
        there = name in found
        ends = None if there else TRUNCATED
        plays.append(
            ending(
                name, np.full(40, float(there)), np.full(40, 30 if there else 100), **({} if there else {"ends": ends})
            )
        )
    return survey_of(*plays, **given)


def sick():
    return [
        fetch({"random": 0.0, "search": 0.0}),
        fetch({"random": 0.0, "search": 0.0, "automaton": 1.0}),
        fetch({"random": 0.0, "search": 0.4}),  # worth knowing
        fetch({"random": 0.0, "search": 0.0, "policy": 0.9}, hold=False),
        maze("automaton"),
        mountain_car("cheat"),
        changed(fetch({"random": 0.0}, key="at_door"), goal_metric="at_door"),
    ]


def healthy():
    far = with_play(mountain_car("automaton"), policy=lasting("policy", np.arange(90, 130), -1.0))
    return [
        fetch({"random": 0.05, "search": 0.0}),
        fetch({"random": 0.0, "search": 0.0, "policy": 0.9}),
        frozen_lake(),
        far,
        with_play(world(), automaton=play("automaton", level=900.0)),  # a dense reward has no goal
        world(),
    ]


def level_of(survey) -> Level:
    answer = goal_never_visited.rule.ask(survey)
    assert isinstance(answer, Finding)
    return answer.level


def test_by_who_gets_there():
    assert level_of(fetch({"random": 0.0, "search": 0.0})) == Level.WARN
    assert level_of(fetch({"random": 0.0, "search": 0.0, "cheat": 1.0})) == Level.WARN
    assert level_of(fetch({"random": 0.0, "search": 0.4})) == Level.INFO
    assert level_of(fetch({"random": 0.0, "tabular": 1.0})) == Level.INFO
    assert goal_never_visited(fetch({"random": 0.01, "cheat": 1.0})) is not None
    assert goal_never_visited(fetch({"random": 0.03, "cheat": 1.0})) is None


def test_inferred_from_what_a_known_policy_gets():
    assert level_of(maze("automaton")) == Level.WARN
    assert level_of(mountain_car("automaton")) == Level.WARN
    assert level_of(frozen_lake(chance=0.0, search=0.0)) == Level.INFO
    assert level_of(with_play(maze("automaton"), search=ending("search", np.ones(40), np.full(40, 30)))) == Level.INFO


def test_a_reward_that_leads_the_way_makes_it_worth_knowing_only():
    assert level_of(lunar_lander("automaton")) == Level.INFO
    assert level_of(fetch({"random": 0.0, "search": 0.0}, climb=True)) == Level.INFO


def test_visited_and_left():
    left = fetch({"random": 0.0, "policy": 0.9}, hold=False)
    assert level_of(left) == Level.WARN
    assert "visits the goal in 36 of 40 episodes and has left it at the end of 36" in goal_never_visited(left).message
    assert level_of(changed(left, observation=box(9))) == Level.INFO
    assert goal_never_visited(fetch({"random": 0.0, "policy": 0.9})) is None


def test_nothing_says_where_the_goal_is():
    assert isinstance(goal_never_visited(world()), CannotTell)
    assert isinstance(goal_never_visited(mountain_car()), CannotTell)


@pytest.mark.parametrize("values", [np.linspace(0, 0.4, 2000), np.linspace(-3, 9, 2000)])
def test_a_metric_that_is_no_flag_is_no_goal(values):
    measured = changed(fetch({"random": 0.0}, key="coverage"), goal_metric="coverage")
    measured.plays["random"].metrics["coverage"] = values
    assert isinstance(goal_never_visited(measured), CannotTell)


def test_few_episodes_do_not_tell():
    assert isinstance(goal_never_visited(survey_of(play("random", episodes=10))), CannotTell)
