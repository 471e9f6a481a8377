"""Rows that are known by their moment: repeated observations, and critics that are asked after the step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.monitor.test_matching import MEMBERS, ROWS, TIMES, answer, tape
from weaklink.base.evidence.update import UNMATCHED, HeadCall, Tape
from weaklink.collect.monitor.matching import RowFinder, match_calls
from weaklink.collect.monitor.placing import match_answers

STAMPS = np.arange(ROWS)
"""Environments that are stepped one after the other."""


def grid() -> Tape:
    """Few observations, so that each comes many times."""
    return tape(np.random.default_rng(0).integers(0, 2, (ROWS, 3)).astype(np.float64), stamps=STAMPS)


def learn_from(taped: Tape, rows: np.ndarray, stamp: int) -> HeadCall:
    given, nothing = taped.observations[rows].astype(np.float32), np.zeros((len(rows), 1))
    return HeadCall("critic", 0, given, nothing, nothing, np.full(len(rows), UNMATCHED), stamp)


def find(taped: Tape, rows: np.ndarray, stamp: int) -> np.ndarray:
    return match_calls([learn_from(taped, rows, stamp)], RowFinder(taped))[0].rows


def test_the_newest_steps_are_found_by_their_order_where_observations_repeat() -> None:
    newest = np.arange(10, 26)
    assert np.array_equal(find(grid(), newest, 26), newest)
    by_member = newest[np.lexsort((newest, newest % MEMBERS))]
    assert np.array_equal(find(grid(), by_member, 26), by_member)


def test_other_steps_and_shuffled_ones_are_not_taken_for_the_newest() -> None:
    assert (find(grid(), np.arange(4, 20), 26) == UNMATCHED).any()
    shuffled = np.random.default_rng(1).permutation(np.arange(10, 26))
    assert (find(grid(), shuffled, 26) == UNMATCHED).any()


def test_steps_that_were_made_before_the_first_one_that_was_heard_are_nowhere() -> None:
    taped, count = replace(grid(), first=1), ROWS - MEMBERS
    seen = taped.observations[:count].astype(np.float32)
    inputs = np.concatenate([1.0 - seen[:MEMBERS], seen])
    call = replace(learn_from(taped, np.arange(count), count), inputs=inputs, rows=np.full(ROWS, UNMATCHED))
    found = match_calls([call], RowFinder(taped))[0].rows
    assert found.tolist() == [UNMATCHED] * MEMBERS + list(range(count))
    whole = replace(taped, first=0)  # nothing came before, so that it is something else
    assert (match_calls([call], RowFinder(whole))[0].rows == UNMATCHED).all()


def test_what_followed_a_step_is_found_by_the_moment_where_observations_repeat() -> None:
    taped = replace(grid(), next_observations=np.roll(grid().next_observations, 1, axis=0))
    asked = answer(taped.next_observations[6:8], 8)
    placed = match_answers([asked], RowFinder(taped), taped)[0]
    assert placed.next_rows.tolist() == [6, 7]
    other = answer(1.0 - taped.next_observations[6:8], 8)
    assert match_answers([other], RowFinder(taped), taped)[0].next_rows.tolist() == [UNMATCHED, UNMATCHED]


def test_a_critic_that_is_asked_after_the_step_is_not_taken_for_one_of_the_next_step() -> None:
    """A normaliser moves on after every step, and the critic answers of what followed, then of the step itself."""
    seen = np.random.default_rng(0).normal(size=(ROWS, 3))
    taped = tape(seen, stamps=STAMPS)
    scales = np.linspace(1.0, 1.2, TIMES)
    asked = []
    for time in range(TIMES):
        own = slice(MEMBERS * time, MEMBERS * (time + 1))
        asked.append(replace(answer(seen[own] * scales[time], MEMBERS * time), head="policy"))
        asked.append(answer(taped.next_observations[own] * scales[time], MEMBERS * (time + 1)))
        asked.append(answer(seen[own] * scales[time], MEMBERS * (time + 1)))
    drawn = np.random.default_rng(1).permutation(ROWS)
    finder = RowFinder(taped, asked)
    assert np.array_equal(finder.find(seen[drawn] * scales[drawn // MEMBERS, None]), drawn)
    placed = [each for each in match_answers(asked, finder, taped) if each.head == "critic"]
    assert all(each.next_rows.tolist() == [2 * time, 2 * time + 1] for time, each in enumerate(placed[:-2:2]))
    assert all(each.rows.tolist() == [2 * time, 2 * time + 1] for time, each in enumerate(placed[1::2]))
