"""Sequences that come back whole are found where single rows repeat, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest

from weaklink.base.evidence.update import UNMATCHED
from weaklink.collect.monitor.sequences import SequenceFinder

TIMES, MEMBERS = 24, 5
SEEN = np.random.default_rng(0).integers(0, 2, (TIMES, MEMBERS, 3)).astype(np.float32)
KNOWN = np.ones(TIMES, bool)
ROWS = np.arange(TIMES * MEMBERS).reshape(TIMES, MEMBERS)


def find_sequences(inputs: np.ndarray, seen: np.ndarray, known: np.ndarray) -> np.ndarray:
    return SequenceFinder(seen, known).find(inputs)


@pytest.mark.parametrize("by_time", [True, False])
@pytest.mark.parametrize("length", [TIMES, 12])
def test_rollouts_of_some_members_and_parts_of_them_are_found(length: int, by_time: bool) -> None:
    members, start = [3, 0, 4], TIMES - length
    rows = ROWS[start : start + length, members]
    rows = rows if by_time else rows.T
    found = find_sequences(SEEN.reshape(-1, 3)[rows].reshape(-1, 3), SEEN, KNOWN)
    assert np.array_equal(found, rows.ravel())


def test_what_stands_at_two_places_is_at_none() -> None:
    twice = np.repeat(SEEN[:, :1], MEMBERS, axis=1)
    assert np.all(find_sequences(twice[:, 0], twice, KNOWN) == UNMATCHED)


def test_rows_of_a_time_that_is_not_known_are_not_found() -> None:
    known = KNOWN.copy()
    known[TIMES // 2] = False
    assert np.all(find_sequences(SEEN[:, 1], SEEN, known) == UNMATCHED)


def test_rows_in_another_order_are_not_found() -> None:
    turned = SEEN[::-1, 2]
    assert np.all(find_sequences(turned, SEEN, KNOWN) == UNMATCHED)


def test_short_sequences_of_few_observations_may_be_alike_by_chance() -> None:
    few = np.random.default_rng(0).integers(0, 2, (TIMES, MEMBERS, 1)).astype(np.float32)
    assert np.all(find_sequences(few[:12, 0], few, KNOWN) == UNMATCHED)


def test_several_sequences_of_alike_steps_are_found_where_no_two_windows_of_the_tape_are_alike() -> None:
    """A clock beside a door that opens now and then: each step is nearly always like the one after a step like it."""
    doors = np.random.default_rng(0).random((TIMES, MEMBERS)) < 0.1
    clock = np.repeat(np.arange(TIMES)[:, None] % 6, MEMBERS, axis=1)
    seen = np.stack([clock, doors], axis=2).astype(np.float32)
    seen[:, :, 1] += 2.0 * (np.arange(MEMBERS) == np.arange(TIMES)[:, None] % MEMBERS)
    rows = ROWS[6:18, [3, 0, 4, 1, 2]]
    assert np.array_equal(find_sequences(seen.reshape(-1, 2)[rows].reshape(-1, 2), seen, KNOWN), rows.ravel())
    assert np.all(find_sequences(seen[6:18, 2], seen, KNOWN) == UNMATCHED)
