"""Passes of a network that is unrolled time by time are one call, also where the first time came before the tape."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.update import UNMATCHED, HeadCall, Tape
from weaklink.collect.monitor.joining import join_unrolled
from weaklink.collect.monitor.matching import RowFinder

TIMES, MEMBERS = 12, 3
SEEN = np.random.default_rng(0).normal(size=(TIMES + 1, MEMBERS, 2)).astype(np.float32)


def make_tape(first: int) -> Tape:
    """The steps of all members, without those of the first times."""
    rows = (TIMES - first) * MEMBERS
    zeros, never = np.zeros(rows), np.zeros(rows, bool)
    return Tape(
        observations=SEEN[first:-1].reshape(rows, 2), actions=zeros, rewards=zeros, terminated=never, truncated=never,
        next_observations=SEEN[first + 1 :].reshape(rows, 2), fillers=never, known=~never,
        stamps=np.arange(rows), members=MEMBERS, first=first,
    )  # fmt: skip


def unroll(first: int) -> tuple[HeadCall, ...]:
    """What becomes of one pass for each time."""
    passes = [
        HeadCall("critic", 0, seen, np.zeros((MEMBERS, 1)), np.ones((MEMBERS, 1)), np.full(MEMBERS, UNMATCHED))
        for seen in SEEN[:-1]
    ]
    return join_unrolled(passes, RowFinder(make_tape(first)))


def test_all_times_are_one_call() -> None:
    (call,) = unroll(0)
    assert np.array_equal(call.rows, np.arange(TIMES * MEMBERS))


def test_the_time_before_the_tape_has_no_rows() -> None:
    (call,) = unroll(1)
    assert np.array_equal(call.rows[:MEMBERS], np.full(MEMBERS, UNMATCHED))
    assert np.array_equal(call.rows[MEMBERS:], np.arange((TIMES - 1) * MEMBERS))


def test_more_than_that_is_left_as_it_was() -> None:
    assert len(unroll(2)) == TIMES
