"""Rows of inputs found on a tape: the forms in which trainers keep observations, and what is told apart from what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, HeadCall, Tape
from weaklink.collect.monitor.matching import RowFinder, match_calls
from weaklink.collect.monitor.placing import match_answers

TIMES, MEMBERS, ROWS = 20, 2, 40


def tape(observations: np.ndarray, **more: Any) -> Tape:
    later = np.concatenate([observations[MEMBERS:], observations[:MEMBERS] + 1])
    none, every = np.zeros(ROWS, bool), np.ones(ROWS, bool)
    parts = {"actions": np.arange(ROWS) % 3, "rewards": np.zeros(ROWS), "terminated": none, "truncated": none}
    parts |= {"next_observations": later, "fillers": none, "known": every, "members": MEMBERS}
    return Tape(observations, **{**parts, "stamps": np.repeat(np.arange(TIMES), MEMBERS), **more})


def answer(inputs: np.ndarray, stamp: int) -> HeadAnswer:
    nowhere = np.full(len(inputs), UNMATCHED)
    return HeadAnswer("critic", COLLECTING, 0, inputs, np.zeros((len(inputs), 1)), nowhere, nowhere, stamp)


@pytest.fixture
def seen() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(ROWS, 3))


@pytest.fixture
def drawn() -> np.ndarray:
    return np.random.default_rng(1).permutation(ROWS)


def test_rows_that_were_cast_are_found(seen: np.ndarray, drawn: np.ndarray) -> None:
    finder = RowFinder(tape(seen))
    assert np.array_equal(finder.find(seen[drawn].astype(np.float32)), drawn)
    assert np.array_equal(finder.find(seen[drawn]), drawn)


def test_images_that_were_divided_are_found(drawn: np.ndarray) -> None:
    images = np.random.default_rng(0).integers(0, 256, (ROWS, 48), dtype=np.uint8)
    finder = RowFinder(tape(images))
    assert np.array_equal(finder.find(images[drawn].astype(np.float32) / 255.0), drawn)
    assert np.array_equal(finder.find(images[drawn].astype(np.float32)), drawn)


def test_an_action_beside_the_observation_tells_repeated_observations_apart(
    seen: np.ndarray, drawn: np.ndarray
) -> None:
    seen[1] = seen[0]
    pairs = np.concatenate([seen, (np.arange(ROWS) % 3)[:, None]], axis=1).astype(np.float32)
    assert np.array_equal(RowFinder(tape(seen)).find(pairs[drawn]), drawn)


def test_a_normaliser_that_was_applied_while_collecting_is_found_by_the_moment(
    seen: np.ndarray, drawn: np.ndarray
) -> None:
    scales = np.linspace(1.0, 2.0, TIMES).repeat(MEMBERS)[:, None]  # another one at every step
    given = (seen * scales).astype(np.float32)
    asked = [answer(given[MEMBERS * time : MEMBERS * (time + 1)], time) for time in range(TIMES)]
    assert np.array_equal(RowFinder(tape(seen), asked).find(given[drawn]), drawn)


def test_a_normaliser_that_is_applied_while_learning_is_fitted(seen: np.ndarray, drawn: np.ndarray) -> None:
    scaled = ((seen - [1.0, 2.0, 3.0]) / [0.5, 1.0, 4.0]).astype(np.float32)
    asked = [answer(scaled[MEMBERS * time : MEMBERS * (time + 1)] * 1.0, time) for time in range(TIMES // 2, TIMES)]
    found = RowFinder(tape(seen), asked).find(scaled[drawn] * np.float32(1.0 + 1e-6))
    assert np.array_equal(found, drawn)


def test_a_normaliser_that_was_brought_up_to_date_in_between_is_fitted_to_all_rows_together(
    seen: np.ndarray, drawn: np.ndarray
) -> None:
    asked = [answer((seen[MEMBERS * time : MEMBERS * (time + 1)] - 1.0) / 2.0, time) for time in range(TIMES)]
    scaled = ((seen - [1.5, 2.5, 3.5]) / [0.7, 1.3, 4.2]).astype(np.float32)
    nothing = np.zeros((ROWS // 2, 1))
    halves = [
        HeadCall("critic", 0, scaled[rows], nothing, nothing, np.full(ROWS // 2, UNMATCHED), TIMES)
        for rows in (drawn[: ROWS // 2], drawn[ROWS // 2 :])
    ]
    found = match_calls(halves, RowFinder(tape(seen), asked))
    assert np.array_equal(np.concatenate([call.rows for call in found]), drawn)
    alone = match_calls(halves[:1], RowFinder(tape(seen), asked))
    assert np.array_equal(alone[0].rows, found[0].rows), "half of the rows have another mean, and the same line"


def test_what_repeats_is_found_nowhere_once_it_is_shuffled_and_by_its_order_where_it_is_not(
    seen: np.ndarray, drawn: np.ndarray
) -> None:
    seen[20:] = seen[:20]
    finder = RowFinder(tape(seen))
    assert (finder.find(seen[drawn]) == UNMATCHED).all()
    assert np.array_equal(finder.find(seen), np.arange(ROWS))


def test_what_is_not_on_the_tape_is_not_guessed(seen: np.ndarray) -> None:
    finder = RowFinder(tape(seen))
    other = np.random.default_rng(5).normal(size=(7, 3))
    assert (finder.find(other) == UNMATCHED).all()
    assert (finder.find(np.zeros((7, 5))) == UNMATCHED).all()
    assert (finder.find(np.zeros((7, 0))) == UNMATCHED).all()


def test_the_answer_after_the_last_step_belongs_to_what_followed_it(seen: np.ndarray) -> None:
    taped = tape(seen, terminated=np.arange(ROWS) == ROWS - 1)
    last = answer(np.full((MEMBERS, 3), 9.0), TIMES)
    (found,) = match_answers([last], RowFinder(taped, [last]), taped)
    assert found.rows.tolist() == [UNMATCHED, UNMATCHED]
    assert found.next_rows.tolist() == [ROWS - 2, UNMATCHED]


def test_of_two_answers_between_two_steps_the_first_is_about_what_followed(seen: np.ndarray) -> None:
    moved, found = 0.01, {}
    for time in range(1, TIMES):
        rows = slice(time * MEMBERS, (time + 1) * MEMBERS)
        found[time] = answer(seen[rows] * 0.5, time), answer(seen[rows] * 0.5 + moved, time)
    asked = [each for pair in found.values() for each in pair]
    placed = match_answers(asked, RowFinder(tape(seen), asked), tape(seen))
    first, second = placed[0], placed[1]
    assert np.array_equal(first.next_rows, [0, 1])
    assert np.all(first.rows == UNMATCHED)
    assert np.array_equal(second.rows, [2, 3])
    far = [answer(seen[2:4] * 0.5, 1), answer(seen[2:4] * 0.5 + 5.0, 1)]
    assert np.array_equal(match_answers(far, RowFinder(tape(seen), far), tape(seen))[0].rows, [2, 3])


def test_a_code_of_few_states_that_is_learned_right_after_a_step_is_that_steps() -> None:
    """Few states repeat in many rows, and a trainer that codes them gives its network no bytes of the tape."""
    states = np.random.default_rng(0).integers(0, 3, ROWS)
    codes = np.eye(3, dtype=np.float32)[states].reshape(TIMES, MEMBERS, 3)
    codes[1:][(codes[1:] == codes[:-1]).all(axis=(1, 2))] = np.eye(3, dtype=np.float32)[[0, 1]]
    asked = [answer(codes[time], time) for time in range(TIMES)]
    calls = [make_call(codes[time], time + 1) for time in range(TIMES - 1)]
    found = match_calls(calls, RowFinder(tape(states[:, None].astype(float)), asked))
    moved = [time for time in range(TIMES - 1) if not np.array_equal(codes[time], codes[time + 1])]
    assert len(moved) > TIMES // 2
    for time in moved:
        assert np.array_equal(found[time].rows, np.arange(MEMBERS * time, MEMBERS * (time + 1)))


def test_a_code_that_stays_for_two_steps_is_learned_at_the_second_of_them() -> None:
    """Tile codes of two observations in a row are often the same, and an on-line loop learns from the newest step."""
    places = np.arange(ROWS) - (np.arange(ROWS) % 5 == 4)  # every fifth step looks like the one before
    codes = np.eye(ROWS, dtype=np.float32)[places]
    alone = tape(np.linspace(0.0, 1.0, ROWS)[:, None], members=1, stamps=np.arange(ROWS))
    asked = [answer(codes[row : row + 1], row) for row in range(ROWS)]
    calls = [make_call(codes[row : row + 1], row + 1) for row in range(ROWS - 1)]
    found = match_calls(calls, RowFinder(alone, asked))
    for row in np.flatnonzero(places[:-1] != places[1:]):
        assert found[row].rows.tolist() == [row]


def make_call(inputs: np.ndarray, stamp: int) -> HeadCall:
    outputs = np.zeros((len(inputs), 1))
    return HeadCall("critic", stamp, inputs, outputs, np.ones_like(outputs), np.full(len(inputs), UNMATCHED), stamp)


def test_an_observation_that_came_when_nobody_was_asked_is_found_nowhere(seen: np.ndarray) -> None:
    """An agent that explores: one of two places was a random step, and what it is given is scaled on the way."""
    twice = seen.copy()
    twice[3 * MEMBERS : 4 * MEMBERS] = twice[:MEMBERS]
    asked = [
        answer(twice[time * MEMBERS : (time + 1) * MEMBERS].astype(np.float32) / 255.0, time)
        for time in range(TIMES)
        if time != 3
    ]
    finder = RowFinder(tape(twice), asked)
    rows = finder.find(twice.astype(np.float32) / 255.0).reshape(TIMES, MEMBERS)
    assert np.all(rows[[0, 3]] == UNMATCHED)
    others = np.setdiff1d(np.arange(TIMES), (0, 3))
    assert np.array_equal(rows[others], np.arange(ROWS).reshape(TIMES, MEMBERS)[others])


def test_inputs_that_are_all_alike_are_not_known_by_what_followed() -> None:
    still = np.zeros((ROWS, 3))
    later = tape(still, next_observations=still)
    calls = [make_call(np.zeros((8, 3), np.float32), TIMES)]
    assert not any(call.after for call in match_calls(calls, RowFinder(later)))
    moving = np.random.default_rng(0).normal(size=(ROWS, 3)).astype(np.float32)
    calls = [make_call(moving[-8:], TIMES)]
    assert all(call.after for call in match_calls(calls, RowFinder(tape(still, next_observations=moving))))
