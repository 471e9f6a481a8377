"""What is wrong with what is collected, whatever the losses make of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import SAME_SEED, SATURATED_INPUTS, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import Tape, UpdateReading

FEWEST_ROWS, FEWEST_RESETS = 64, 5
"""Rows and resets that must tell."""

NEARLY_ALL = 0.9
"""The share of resets that must have the same seed."""

MOST = 0.5
"""The share of entries beyond what the environment itself gives that must lie exactly at a bound, in half of the
columns: a normaliser that clips at five or ten standard deviations cuts next to none."""

COLLECTING_FLAWS = (SAME_SEED, SATURATED_INPUTS)


def find_collecting_flaws(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """Resets that all begin the same episode, and inputs of networks that are cut off at two numbers."""
    tape = reading.tape
    if tape.reseeded >= max(FEWEST_RESETS, NEARLY_ALL * (tape.begun - 1)):
        yield RecoveredFlaw(kind=SAME_SEED, head=tape.environment, count=tape.reseeded, of=tape.begun)
    for head in reading.heads:
        inputs = [call.inputs for call in reading.of_head(head) if not call.climbed]
        wide = [each for each in inputs if each.shape[1] >= tape.observations.shape[1]]
        share = _measure_saturation(tape, np.concatenate(wide)) if wide and len({e.shape[1] for e in wide}) == 1 else 0
        if share > MOST:
            count = sum(map(len, wide))
            yield RecoveredFlaw(kind=SATURATED_INPUTS, head=head, count=count, of=count, number=share)
            return


def _measure_saturation(tape: Tape, inputs: Array) -> float:
    """The share of entries at the bounds of their column, beyond that of the tape, in the middle one of all columns."""
    seen = tape.observations.shape[1]
    if len(inputs) < FEWEST_ROWS or not seen or tape.rows < FEWEST_ROWS:
        return 0.0
    return float(np.median(_count_bounds(inputs[:, :seen]) - _count_bounds(tape.observations)))


def _count_bounds(columns: Array) -> Array:
    """(columns,) the share of rows that are exactly the largest or the smallest number of their column."""
    extreme = (columns == columns.max(axis=0)) | (columns == columns.min(axis=0))
    return np.asarray(np.mean(extreme, axis=0))
