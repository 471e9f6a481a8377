"""Episodes whose first action is chosen by the last observation of the one before: what reset returned is lost.

Everywhere else what the network is given follows from the observation of the step, by a scale and an offset a column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import LOST_RESETS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.lines import ColumnLines, fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import list_acted

FEWEST, FEWEST_STARTS = 32, 3
"""Steps within episodes that must tell, and episodes that must begin in the same wrong way."""

NEARLY_ALL = 0.9
"""The share of the episodes that must."""

EXACTLY, CLOSE = 1e-5, 1e-3
"""What the lines may leave of a column's spread within episodes, and how near to them a first step counts."""


def find_stale_starts(reading: UpdateReading, heads: Sequence[str]) -> Iterator[RecoveredFlaw]:
    """The first of the heads that act that is asked about what the episode before left behind."""
    tape = reading.tape
    ended = np.asarray((tape.terminated | tape.truncated) & tape.known, bool)[: -tape.members]
    before = np.full(tape.rows, UNMATCHED)
    before[np.flatnonzero(ended) + tape.members] = np.flatnonzero(ended)
    for head in heads:
        rows, given = list_acted(reading, head)
        inner = before[rows] == UNMATCHED
        if inner.sum() < FEWEST or (~inner).sum() < FEWEST_STARTS:
            continue
        lines = fit_column_lines(tape.observations[rows[inner]].astype(np.float64), given[inner])
        if not np.all(lines.left <= EXACTLY):
            continue
        starts, asked = rows[~inner], given[~inner]
        stale = _follows(lines, tape.next_observations[before[starts]], asked)
        stale &= ~_follows(lines, tape.observations[starts], asked)
        if stale.sum() >= max(FEWEST_STARTS, NEARLY_ALL * len(starts)):
            yield RecoveredFlaw(kind=LOST_RESETS, head=head, count=int(stale.sum()), of=len(starts))
            return


def _follows(lines: ColumnLines, seen: Array, asked: Array) -> Array:
    """(n,) whether all columns lie where the lines lead."""
    spread = np.maximum(asked.std(axis=0), np.abs(asked).mean(axis=0))
    return np.asarray(np.all(np.abs(lines.scales * seen + lines.offsets - asked) <= CLOSE * spread, axis=1))
