"""What is wrong with what is collected, whatever the losses make of it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import ONE_FOR_ALL, SAME_SEED, SATURATED_INPUTS, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, Tape, UpdateReading

FEWEST_ROWS, FEWEST_RESETS = 64, 5
"""Rows and resets that must tell."""

NEARLY_ALL = 0.9
"""The share of resets that must have the same seed."""

MOST = 0.5
"""The share of entries beyond what the environment itself gives that must lie exactly at a bound, in half of the
columns: a normaliser that clips at five or ten standard deviations cuts next to none."""

FEWEST_TURNS = 8
"""Questions between which a network is asked nothing else."""

COLLECTING_FLAWS = (SAME_SEED, SATURATED_INPUTS, ONE_FOR_ALL)


def find_collecting_flaws(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """Resets that all begin the same episode, and inputs of networks that are cut off at two numbers."""
    tape = reading.tape
    if tape.reseeded >= max(FEWEST_RESETS, NEARLY_ALL * (tape.begun - 1)):
        yield RecoveredFlaw(kind=SAME_SEED, head=tape.environment, count=tape.reseeded, of=tape.begun)
    yield from _find_shared(reading)
    for head in reading.heads:
        inputs = [call.inputs for call in reading.of_head(head) if not call.climbed]
        wide = [each for each in inputs if each.shape[1] >= tape.observations.shape[1]]
        share = _measure_saturation(tape, np.concatenate(wide)) if wide and len({e.shape[1] for e in wide}) == 1 else 0
        if share > MOST:
            count = sum(map(len, wide))
            yield RecoveredFlaw(kind=SATURATED_INPUTS, head=head, count=count, of=count, number=share)
            return


def _find_shared(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """One environment that is stepped once for each of several observations that a network was asked about together."""
    tape = reading.tape
    asked = [answer for answer in reading.answers if answer.when == COLLECTING and len(answer.outputs)]
    widths = {len(answer.outputs) for answer in asked}
    if tape.members > 1 or len(widths) != 1 or widths == {1}:
        return
    (width,) = widths
    stepped = set(tape.stamps.tolist())
    stamps = np.unique([answer.stamp for answer in asked])
    turns = [int(each) for each in stamps if all(int(each) + place in stepped for place in range(width))]
    if len(turns) >= FEWEST_TURNS and np.mean(np.diff(turns) == width) >= NEARLY_ALL:
        yield RecoveredFlaw(kind=ONE_FOR_ALL, head=asked[0].head, count=len(turns), of=len(turns), number=width)


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
