"""Networks with a memory that is cleared where episodes end on one of two sides alone: when they act, or in the loss.

Before any optimizer step a network answers the same rows as it did when it acted. Where it does so for all rows up to
the first end of an episode in a rollout, and for hardly any behind one, what differs is what it remembers from there.

Where both sides agree, and still answer one and the same first observation of an episode in many ways, it remembers
earlier episodes on both. That is of use only where returns go on through ends, or rewards are among its inputs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import CARRIED_MEMORY, LOST_MEMORY, OTHER_MEMORY
from weaklink.base.evidence.recovered import NOTHING, TERMINAL, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadCall, Tape, UpdateReading
from weaklink.collect.monitor.reading.lines import measure_spread

FEWEST, NEARLY_NONE, MOSTLY = 8, 0.02, 0.5
"""Rows of either side that must tell, the share of those before an end that may differ, and of those behind one that
must."""

SAME = 1e-3
"""How far answers of one network to one row may lie apart, as a share of their spread: batches of another size."""


def find_memory_flaws(reading: UpdateReading, critics: Sequence[RecoveredValues]) -> Iterator[RecoveredFlaw]:
    """The heads whose answers depend on what came before an end; the first of them.

    Args:
        reading: of the update.
        critics: all heads of values, whose targets tell whether returns go on through ends.
    """
    behind = _find_behind(reading.tape)
    apart_from_others = stop_at_ends(critics)
    for head in reading.heads:
        first = [call for call in reading.of_head(head) if call.moment == 0 and not call.climbed]
        if not first:
            continue
        learned = np.full((reading.tape.rows, first[0].outputs.shape[1]), np.nan)
        acted = learned.copy()
        for call in first:
            _write(learned, call.rows, call.outputs)
        for answer in reading.answers:
            if answer.head == head and answer.when == COLLECTING:
                _write(acted, answer.rows, answer.outputs)
        known = np.isfinite(learned).all(axis=1) & np.isfinite(acted).all(axis=1)
        allowed = SAME * measure_spread(acted[known]) if known.any() else 0.0
        apart = np.abs(learned - acted).max(axis=1) > allowed if known.any() else known
        # whether the first row of an environment begins an episode is not on the tape
        begins = np.tile(apart[: reading.tape.members], reading.tape.times)
        sides = known & ~behind & ~begins, known & behind
        alike = known.any() and apart[known].mean() <= NEARLY_NONE
        if alike and apart_from_others and first[0].inputs.shape[1] == reading.tape.observations.shape[1]:
            other, of = _count_other(reading.tape, first, acted, allowed)
            if of >= FEWEST and other >= MOSTLY * of:
                yield RecoveredFlaw(kind=CARRIED_MEMORY, head=head, count=other, of=of)
                return
        from_before = known & ~behind & begins
        from_before[: reading.tape.members] = False  # an observation of its own could explain the first row
        if min(int(from_before.sum()), int(sides[1].sum())) >= FEWEST:
            lost = apart[from_before].mean() >= MOSTLY and apart[sides[1]].mean() <= NEARLY_NONE
            if lost:
                count, of = int(apart[from_before].sum()), int(from_before.sum())
                yield RecoveredFlaw(kind=LOST_MEMORY, head=head, count=count, of=of, number=float(sides[1].sum()))
                return
        if min(int(side.sum()) for side in sides) < FEWEST:
            continue
        if apart[sides[0]].mean() <= NEARLY_NONE and apart[sides[1]].mean() >= MOSTLY:
            count, of = int(apart[sides[1]].sum()), int(sides[1].sum())
            yield RecoveredFlaw(kind=OTHER_MEMORY, head=head, count=count, of=of, number=float(sides[0].sum()))
            return


def stop_at_ends(critics: Sequence[RecoveredValues]) -> bool:
    """Whether the targets of some critic stop where an episode ends."""
    return any((end.place, end.goes_on_with) == (TERMINAL, NOTHING) for each in critics for end in each.ends)


def _count_other(tape: Tape, calls: Sequence[HeadCall], acted: Array, allowed: float) -> tuple[int, int]:
    """Of the first rows of episodes whose very input began another one too, how many were answered otherwise."""
    fillers = np.asarray(tape.fillers, bool)  # steps that only reset an environment are part of no episode
    before = np.asarray(tape.terminated | tape.truncated, bool) | fillers
    begins = np.append(np.zeros(tape.members, bool), before[: -tape.members]) & ~fillers
    starts: dict[bytes, dict[int, Array]] = {}
    for call in calls:
        for row, given in zip(call.rows.tolist(), call.inputs, strict=True):
            if row != UNMATCHED and begins[row] and np.isfinite(acted[row]).all():
                starts.setdefault(given.tobytes(), {})[row] = acted[row]
    groups = [np.stack(list(rows.values())) for rows in starts.values() if len(rows) > 1]
    other = sum(int(np.sum(np.abs(rows[1:] - rows[:-1]).max(axis=1) > allowed)) for rows in groups)
    return other, sum(len(rows) - 1 for rows in groups)


def _find_behind(tape: Tape) -> Array:
    """(rows,) whether an episode of the same environment ended before, on the tape."""
    ended = np.asarray(tape.terminated | tape.truncated, bool).reshape(tape.times, tape.members)
    before = np.zeros_like(ended)
    before[1:] = np.logical_or.accumulate(ended, axis=0)[:-1]
    return before.reshape(-1)


def _write(table: Array, rows: Array, outputs: Array) -> None:
    known = rows != UNMATCHED
    if outputs.shape[1] == table.shape[1]:
        table[rows[known]] = outputs[known]
