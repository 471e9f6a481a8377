"""States that are numbers are known by what networks are given in their place, where one thing stands for each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.update import Tape
from weaklink.collect.monitor.numbered_observations import rewrite_states
from weaklink.collect.monitor.update_reader import NO_TAPE

STATES, ROWS = 6, 40
RANDOM = np.random.default_rng(0)
SEEN = RANDOM.integers(0, STATES, ROWS + 1)
ONES = np.eye(STATES, dtype=np.float32)
MADE = RANDOM.normal(size=(STATES, 4)).astype(np.float32)


def make_tape(seen: np.ndarray = SEEN) -> Tape:
    return replace(
        NO_TAPE, observations=seen[:-1, None], next_observations=seen[1:, None], rewards=np.zeros(len(seen) - 1)
    )


def test_a_single_one_tells_its_state_although_nothing_was_asked() -> None:
    tape = rewrite_states(make_tape(), [ONES[SEEN[:8]]], ())
    assert np.array_equal(tape.observations, ONES[SEEN[:-1]])
    assert np.array_equal(tape.next_observations, ONES[SEEN[1:]])


def test_anything_else_is_learned_from_what_was_asked() -> None:
    rows = np.arange(ROWS)
    tape = rewrite_states(make_tape(), [MADE[SEEN[:8]]], [(MADE[SEEN[:-1]], rows)])
    assert np.array_equal(tape.observations, MADE[SEEN[:-1]])


def test_other_observations_stay_as_they_are() -> None:
    rows, given = np.arange(ROWS), [MADE[SEEN[:8]]]
    noisy = MADE[SEEN[:-1]] + RANDOM.normal(size=(ROWS, 4)).astype(np.float32)
    measured = make_tape(SEEN.astype(np.float32))
    below = make_tape(SEEN - 1)
    for tape, asked in (
        (make_tape(), ()),  # nobody knows what stands for a state
        (make_tape(), [(noisy, rows)]),  # a state with something beside it
        (make_tape(), [(MADE[SEEN[:4]], rows[:4])]),  # most states were never asked about
        (measured, [(MADE[SEEN[:-1]], rows)]),
        (below, [(MADE[SEEN[:-1]], rows)]),
    ):
        assert rewrite_states(tape, given, asked) is tape
    assert rewrite_states(make_tape(), [SEEN[:8, None]], ()).observations.shape == (ROWS, 1)  # given as it is
