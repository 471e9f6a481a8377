"""Networks with a memory that is cleared where episodes end on one of two sides alone: when they act, or in the loss.

Before any optimizer step a network answers the same rows as it did when it acted. Where it does so for all rows up to
the first end of an episode in a rollout, and for hardly any behind one, what differs is what it remembers from there.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import OTHER_MEMORY, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, Tape, UpdateReading
from weaklink.collect.monitor.reading.lines import measure_spread

FEWEST, NEARLY_NONE, MOSTLY = 8, 0.02, 0.5
"""Rows of either side that must tell, the share of those before an end that may differ, and of those behind one that
must."""

SAME = 1e-3
"""How far answers of one network to one row may lie apart, as a share of their spread: batches of another size."""


def find_memory_flaws(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """The heads whose answers depend on what came before an end, on one side alone; the first of them."""
    behind = _find_behind(reading.tape)
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
        apart = np.abs(learned - acted).max(axis=1) > SAME * measure_spread(acted[known]) if known.any() else known
        # whether the first row of an environment begins an episode is not on the tape
        begins = np.tile(apart[: reading.tape.members], reading.tape.times)
        sides = known & ~behind & ~begins, known & behind
        if min(int(side.sum()) for side in sides) < FEWEST:
            continue
        if apart[sides[0]].mean() <= NEARLY_NONE and apart[sides[1]].mean() >= MOSTLY:
            count, of = int(apart[sides[1]].sum()), int(sides[1].sum())
            yield RecoveredFlaw(kind=OTHER_MEMORY, head=head, count=count, of=of, number=float(sides[0].sum()))
            return


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
