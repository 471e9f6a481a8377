"""Next values that a network was asked for some rows of a minibatch alone, as where the rest have no next observation.

A trainer that stores nothing behind an end asks its target network about the other rows, and puts their answers in
their places. What was never asked is not known here, and 0 in its targets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, HeadCall, UpdateReading

FEWEST, ALIGNED = 8, 0.9
"""Rows that must be asked about, and the share of those that are known which must be the call's own, in their order."""


def complete_answers(reading: UpdateReading) -> UpdateReading:
    """The update, with answers about a part of the rows of a call made answers about all of them."""
    answers = [_complete(answer, reading) or answer for answer in reading.answers]
    return replace(reading, answers=tuple(answers))


def _complete(answer: HeadAnswer, reading: UpdateReading) -> HeadAnswer | None:
    count = len(answer.outputs)
    for call in reading.calls if count >= FEWEST and np.any(answer.next_rows != UNMATCHED) else ():
        if call.step == answer.step and len(call.rows) > count:
            for kept in _list_masks(reading, call):
                if kept.sum() == count and _agree(answer.next_rows, call.rows[kept]):
                    return _spread(answer, call, kept)
    return None


def _list_masks(reading: UpdateReading, call: HeadCall) -> Iterator[Array]:
    """The rows of a call that something follows: all but terminal steps, or all but ends of any kind."""
    known = call.rows != UNMATCHED
    for ends in (reading.tape.terminated, reading.tape.terminated | reading.tape.truncated):
        yield ~(known & np.asarray(ends, bool)[call.rows])


def _agree(rows: Array, others: Array) -> bool:
    known = (rows != UNMATCHED) & (others != UNMATCHED)
    return bool(known.any()) and float(np.mean(rows[known] == others[known])) >= ALIGNED


def _spread(answer: HeadAnswer, call: HeadCall, kept: Array) -> HeadAnswer:
    """The answer with a row for each of the call's, NaN where nothing was asked."""

    def place(part: Array, missing: float) -> Array:
        whole = np.full((len(kept), *part.shape[1:]), missing, part.dtype)
        whole[kept] = part
        return whole

    nothing = 0.0 if answer.inputs.dtype.kind in "biu" else np.nan
    return replace(
        answer,
        inputs=place(answer.inputs, nothing),
        outputs=place(np.asarray(answer.outputs, np.float64), np.nan),
        rows=place(answer.rows, UNMATCHED),
        next_rows=np.where(kept, call.rows, UNMATCHED),
    )
