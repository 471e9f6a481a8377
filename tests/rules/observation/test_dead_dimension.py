from __future__ import annotations

import msgspec
import numpy as np
import pytest

from tests.worlds import box, changed, play, world
from weaklink.base.evidence.spaces import Space
from weaklink.base.evidence.survey import CUT
from weaklink.base.finding import CannotTell, Finding, Level
from weaklink.judge.rules.observation.dead_dimension import dead_dimension


def standing(columns, width=10, value=0.0, **fields):
    """A survey in which these columns never move, under any policy."""
    plays = {}
    for name in ("random", "zero", "search"):
        made = play(name, columns=width)
        rows = [made.observations.copy(), made.successors.copy()]
        for each in rows:
            each[:, columns] = value
        plays[name] = msgspec.structs.replace(made, observations=rows[0], successors=rows[1])
    return changed(world(), **({"observation": box(width), "plays": plays} | fields))


def sick():
    faint = standing([2])
    for each in faint.plays.values():
        each.observations[:, 2] = 1e-9 * each.observations[:, 3]
    whole = standing([])
    for each in whole.plays.values():
        each.observations[:] *= 1e-9
        each.successors[:] *= 1e-9
    return [
        whole,
        standing([3]),
        standing([1, 3], width=4),
        standing([0, 5, 9], value=2.5),
        faint,
        # contact forces of an Ant, and a grid: worth knowing
        standing(list(range(30, 84)), width=105),
        standing([4, 5, 6]),
    ]


def healthy():
    one = standing([2])
    one.plays["search"].observations[40, 2] = 0.3  # one policy does move it
    rows = np.eye(5)[np.random.default_rng(0).integers(0, 5, 4000)]
    hot = play("random", length=40, observations=rows, successors=rows, columns=5)
    return [
        world(),
        one,
        changed(world(), observation=box(5, 0.0, 1.0), plays={"random": hot}),
        # all of them: that is OBS101's
        standing(list(range(10))),
    ]


def level_of(survey):
    answer = dead_dimension.rule.ask(survey)
    assert isinstance(answer, Finding)
    return answer.severity


def test_names_the_column_and_its_value():
    answer = dead_dimension.rule.ask(standing([3], value=0.25))
    assert answer.severity is Level.WARN
    assert "1 of 10 observation columns never change" in answer.message
    assert "observation[3] (always 0.25)" in answer.message


def test_neighbours_are_named_as_a_range():
    answer = dead_dimension.rule.ask(standing(list(range(30, 84)), width=105))
    assert answer.severity is Level.INFO
    assert "observation[30] to observation[83]" in answer.message


def test_most_of_an_observation_without_content_is_more_than_any_healthy_one_has():
    answer = dead_dimension.rule.ask(standing([1, 2, 3, 4, 5, 6], width=8))
    assert answer.severity is Level.WARN
    assert "times past the largest of" in answer.message
    # flags and codes may all rest, and half of an Ant does
    whole = standing([1, 2, 3, 4, 5, 6], width=8, observation=box(8, 0, 9, dtype="int64"))
    assert dead_dimension.rule.ask(whole).severity is Level.INFO


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param([4, 5, 6], id="a goal that never moves"),
        pytest.param(list(range(0, 100, 10)), id="masses of a Humanoid, one a body"),
    ],
)
def test_blocks_and_large_groups_are_worth_knowing_only(columns):
    assert level_of(standing(columns, width=101)) is Level.INFO


def test_values_that_rest_on_their_bound_are_sensors_at_their_limit():
    assert level_of(standing([3], value=1.0, observation=box(10, -1.0, 1.0))) is Level.INFO
    assert level_of(standing([3], value=0.5, observation=box(10, -1.0, 1.0))) is Level.WARN


def test_whole_numbers_are_codes():
    assert level_of(standing([3], value=1.0, observation=box(10, 0.0, 255.0, "uint8"))) is Level.INFO


def test_the_height_of_a_goal_on_a_table_is_worth_knowing_only():
    parts = {"observation": box(4), "achieved_goal": box(3), "desired_goal": box(3)}
    assert level_of(standing([9], observation=Space(kind="dict", parts=parts))) is Level.INFO
    assert level_of(standing([2], observation=Space(kind="dict", parts=parts))) is Level.WARN


def reaching(away):
    """A walk that ends at a place that never changes, or so far away from it, which stands in the observation too."""
    survey = standing([2, 3], value=0.3, width=6)
    for each in survey.plays.values():
        lasts = each.starts + each.lengths - 1
        each.successors[lasts, :2] = 0.3 + away
    return survey


def test_a_goal_that_the_layout_fixes_is_worth_knowing_only():
    assert level_of(reaching(0.0)) is Level.INFO
    assert level_of(reaching(5.0)) is Level.WARN


def test_one_hot_codes_without_bounds_are_flags():
    rows = np.eye(6)[np.random.default_rng(0).integers(0, 5, 4000)]
    hot = play("random", length=40, observations=rows, successors=rows, columns=6)
    assert level_of(changed(world(), observation=box(6), plays={"random": hot})) is Level.INFO


def test_choices_and_pixels_are_worth_knowing_only():
    binary = Space(kind="multi_binary", shape=(10,), dtype="int8")
    assert level_of(standing([3], observation=binary)) is Level.INFO
    picture = Space(kind="box", shape=(20, 20), dtype="uint8", low=np.zeros(400), high=np.full(400, 255.0))
    assert level_of(standing([3], width=400, observation=picture)) is Level.INFO


def test_some_columns_of_a_wide_observation_say_nothing_of_neighbours():
    assert level_of(standing([3], observation=box(50), seen_columns=tuple(range(0, 50, 5)))) is Level.INFO


def test_a_thousand_steps_are_asked_for():
    short = changed(standing([3]), plays={"random": play("random", episodes=9, length=100, columns=10)})
    short.plays["random"].observations[:, 3] = 0.0
    assert isinstance(dead_dimension.rule.ask(short), CannotTell)
    assert isinstance(dead_dimension.rule.ask(short, {"steps": 900}), Finding)


def test_a_column_of_episodes_that_never_end_may_be_drawn_by_resets():
    made = standing([3], value=0.7)
    plays = {name: msgspec.structs.replace(one, ends=np.full_like(one.ends, CUT)) for name, one in made.plays.items()}
    endless = dead_dimension.rule.ask(changed(made, plays=plays))
    assert endless.level is Level.INFO
    assert "no episode ended" in endless.message
    assert dead_dimension.rule.ask(made).level is Level.WARN
