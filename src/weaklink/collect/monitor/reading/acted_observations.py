"""Observations that a network is given in one way when it acts and in another when it learns from replay.

The rows of the two sides are different ones, so each side is compared with what the environments gave in its own rows:
a scale and an offset for each column, exactly. Both must come in through the same module: then the network itself
can not make up for the difference.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import OTHER_ACTING
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.lines import ColumnLines, fit_column_lines

FEWEST_ACTED, FEWEST_LEARNED = 8, 32
"""Rows that must tell on each side: two numbers a column are fitted."""

CLOSE = 1e-5
"""What a line may leave of a column's spread where it is exact in single precision; the statistics of a running
normaliser move on, and leave more."""

OTHER_SCALE = 0.05
"""The share by which two scales of one column must differ, and two offsets as a share of what it is spread over."""


def find_acting_flaws(reading: UpdateReading) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """The columns that are prepared otherwise for acting, the first of each head; and whether one would have shown."""
    found: list[RecoveredFlaw] = []
    told = False
    width = reading.tape.observations.shape[1]
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if call.inputs.shape[1] == width and not call.climbed]
        acted = [each for each in _list_acting(reading, head, width) if each.entrance in {c.entrance for c in calls}]
        learned = [call for call in calls if acted and call.entrance == acted[0].entrance]
        sides = _fit_side(reading, acted, FEWEST_ACTED), _fit_side(reading, learned, FEWEST_LEARNED)
        if sides[0] is not None and sides[1] is not None:
            told = True
            found += _compare(reading, head, sides[0], sides[1], len(acted))
    return tuple(found), told


def _list_acting(reading: UpdateReading, head: str, width: int) -> Iterator[HeadAnswer]:
    """What a head answered right before the very step that it was asked about."""
    stamps = reading.tape.stamps
    for answer in reading.answers:
        known = answer.rows[answer.rows != UNMATCHED]
        own = answer.head == head and answer.entrance and answer.inputs.shape[1] == width
        if own and len(known) == len(answer.rows) and np.all(stamps[known] == answer.stamp):
            yield answer


def _fit_side(reading: UpdateReading, passes: list[HeadAnswer] | list[HeadCall], fewest: int) -> ColumnLines | None:
    """How the columns that a network is given follow from those of its own rows; None where too few rows tell."""
    if not passes:
        return None
    rows, inputs = (np.concatenate([getattr(each, name) for each in passes]) for name in ("rows", "inputs"))
    known = rows != UNMATCHED
    if known.sum() < fewest:
        return None
    return fit_column_lines(reading.tape.observations[rows[known]].astype(np.float64), inputs[known].astype(np.float64))


def _compare(
    reading: UpdateReading, head: str, acted: ColumnLines, learned: ColumnLines, count: int
) -> Iterator[RecoveredFlaw]:
    exact = (acted.left <= CLOSE) & (learned.left <= CLOSE)
    spread: Array = np.maximum(np.abs(acted.scales), np.abs(learned.scales)) * reading.tape.observations.std(axis=0)
    largest = np.maximum(np.abs(acted.scales), np.abs(learned.scales))
    other = np.abs(acted.scales - learned.scales) > OTHER_SCALE * largest
    other |= np.abs(acted.offsets - learned.offsets) > OTHER_SCALE * spread + CLOSE
    for column in np.flatnonzero(exact & other)[:1].tolist():
        yield RecoveredFlaw(
            kind=OTHER_ACTING, head=head, count=count, of=column, number=float(learned.scales[column]),
            other=float(acted.scales[column]),
        )  # fmt: skip
