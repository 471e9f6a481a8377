"""What is wrong with what is collected, whatever the losses make of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import CUT_COLUMN, ONE_FOR_ALL, SAME_SEED, SATURATED_INPUTS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import list_acted

FEWEST_ROWS, FEWEST_RESETS = 64, 5
"""Rows and resets that must tell."""

NEARLY_ALL = 0.9
"""The share of resets that must have the same seed."""

MOST = 0.5
"""The share of entries beyond what the environment itself gives that must lie exactly at a bound, in half of the
columns: a normaliser that clips at five or ten standard deviations cuts next to none."""

FEWEST_INSIDE, EXACTLY = 8, 1e-4
"""Entries within the bounds that must follow the environment's, and what a scale and an offset may leave of them."""

FEWEST_TURNS = 8
"""Questions between which a network is asked nothing else."""

COLLECTING_FLAWS = (SAME_SEED, SATURATED_INPUTS, CUT_COLUMN, ONE_FOR_ALL)


def find_collecting_flaws(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """Resets that all begin the same episode, and inputs of networks that are cut off at two numbers."""
    tape = reading.tape
    again = tape.begun - max(len(tape.places), 1)  # the first reset of each environment repeats none
    if tape.reseeded >= max(FEWEST_RESETS, NEARLY_ALL * again):
        yield RecoveredFlaw(kind=SAME_SEED, head=tape.environment, count=tape.reseeded, of=tape.begun)
    yield from _find_shared(reading)
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if not call.climbed]
        wide = [call.inputs for call in calls if call.inputs.shape[1] >= tape.observations.shape[1]]
        if reading.update == 1 and _are_bounded_alike(wide):
            continue  # by a running normaliser, perhaps, that has seen nothing yet
        share = _measure_saturation(tape, np.concatenate(wide)) if wide and len({e.shape[1] for e in wide}) == 1 else 0
        if share > MOST:
            count = sum(map(len, wide))
            yield RecoveredFlaw(kind=SATURATED_INPUTS, head=head, count=count, of=count, number=share)
            return
        cut = _find_cut_column(tape, _list_pairs(reading, calls, head))
        if cut is not None:
            yield RecoveredFlaw(kind=CUT_COLUMN, head=head, count=cut[2], of=cut[0], number=cut[1])
            return


def _are_bounded_alike(inputs: Sequence[Array]) -> bool:
    """Whether the largest and the smallest of all numbers are one number with two signs."""
    given = [each for each in inputs if each.size]
    return bool(given) and max(float(each.max()) for each in given) == -min(float(each.min()) for each in given) > 0.0


def _find_shared(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """One environment that is stepped once for each of several observations that a network was asked about together."""
    tape = reading.tape
    collecting = [answer for answer in reading.answers if answer.when == COLLECTING and len(answer.outputs)]
    # what is asked after a rollout, about all of it, is asked once
    usual = Counter(len(answer.outputs) for answer in collecting).most_common(1)
    if tape.members > 1 or not usual or usual[0][0] == 1:
        return
    width = usual[0][0]
    asked = [answer for answer in collecting if len(answer.outputs) == width]
    stepped = set(tape.stamps.tolist())
    stamps = np.unique([answer.stamp for answer in asked])
    turns = [int(each) for each in stamps if all(int(each) + place in stepped for place in range(width))]
    if len(turns) >= FEWEST_TURNS and np.mean(np.diff(turns) == width) >= NEARLY_ALL:
        yield RecoveredFlaw(kind=ONE_FOR_ALL, head=asked[0].head, count=len(turns), of=len(turns), number=width)


def _measure_saturation(tape: Tape, inputs: Array) -> float:
    """The share of entries at the bounds of their column, beyond that of the tape, in the middle one of all columns.

    Where there are more columns than those of the tape and of an action, or nothing but 0 and 1, they are what the
    trainer made of its observations, such as a code of each.
    """
    seen = tape.observations.shape[1]
    widths = (seen, seen + tape.actions.reshape(len(tape.actions), -1).shape[1])
    if len(inputs) < FEWEST_ROWS or not seen or tape.rows < FEWEST_ROWS or inputs.shape[1] not in widths:
        return 0.0
    if np.isin(inputs, (0, 1)).all():
        return 0.0
    return float(np.median(_count_bounds(inputs[:, :seen]) - _count_bounds(tape.observations)))


def _find_cut_column(tape: Tape, pairs: Sequence[tuple[Array, Array]]) -> tuple[int, float, int] | None:
    """A column of which most entries lie at a bound, though not those of the environment, and all others follow it.

    Its place, the share of entries that lie there beyond the environment's, and the rows that tell.

    Args:
        tape: of the environments.
        pairs: rows of the tape, and what a network was given for them.
    """
    seen = tape.observations.shape[1]
    known = [(rows[rows != UNMATCHED], given[rows != UNMATCHED, :seen]) for rows, given in pairs]
    if sum(len(rows) for rows, _ in known) < FEWEST_ROWS or not np.issubdtype(tape.observations.dtype, np.floating):
        return None
    rows, given = (np.concatenate(each) for each in zip(*known, strict=True))
    real, given = tape.observations[rows].astype(np.float64), given.astype(np.float64)
    shares = _count_bounds(given) - _count_bounds(real)
    for place in np.flatnonzero(shares > MOST).tolist():
        column = given[:, place]
        inside = (column > column.min()) & (column < column.max())
        lines = fit_column_lines(real[inside, place, None], given[inside, place, None]) if inside.any() else None
        if lines is not None and inside.sum() >= FEWEST_INSIDE and lines.left[0] <= EXACTLY:
            return place, float(shares[place]), len(rows)
    return None


def _list_pairs(reading: UpdateReading, calls: Sequence[HeadCall], head: str) -> list[tuple[Array, Array]]:
    """What a head was given, by row of the tape: in its losses, and right before steps that it was asked about."""
    seen = reading.tape.observations.shape[1]
    return [*((call.rows, call.inputs) for call in calls if call.inputs.shape[1] >= seen), list_acted(reading, head)]


def _count_bounds(columns: Array) -> Array:
    """(columns,) the share of rows that are exactly the largest or the smallest number of their column."""
    extreme = (columns == columns.max(axis=0)) | (columns == columns.min(axis=0))
    return np.asarray(np.mean(extreme, axis=0))
