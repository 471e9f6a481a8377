"""Actions that are chosen by an observation of an earlier step: one that is never replaced, or only after a reset.

What a network was asked right before a step is known by the moment. It is to be the observation of that step; where it
is, byte for byte, one that the same environment gave before, the loop goes on with an old one.
"""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.recovered import LATE_ACTING, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.tape_rows import list_acted

FEWEST = 32
"""Steps that must tell."""

MOSTLY, NEARLY_ALL = 0.5, 0.95
"""The share of the steps at which another observation than theirs is asked about, and of those that are earlier ones:
at the first step of an episode nothing is older."""


def find_late_acting(reading: UpdateReading) -> tuple[RecoveredFlaw, ...]:
    """The first head that acts on earlier observations, with how many steps these lie back, half of the time.

    A critic may be asked once more about the step that was just made; then something else is asked about the next one.
    """
    tape = reading.tape
    seen = tape.observations.astype(np.float32) + 0
    asked = {head: list_acted(reading, head) for head in dict.fromkeys(answer.head for answer in reading.answers)}
    own = np.zeros(tape.rows, bool)
    for rows, given in asked.values():
        own[rows] |= np.all(given.astype(np.float32) == seen[rows], axis=1)
    for head, (rows, given) in asked.items():
        late = ~own[rows]
        if len(rows) < FEWEST or np.mean(late) < MOSTLY or len(np.unique(seen[rows], axis=0)) < MOSTLY * len(rows):
            continue
        lags = _measure_lags(seen, tape.members, rows[late], given[late])
        if len(lags) >= max(FEWEST / 2, NEARLY_ALL * np.count_nonzero(late)):
            lag = float(np.median(lags))
            return (RecoveredFlaw(kind=LATE_ACTING, head=head, count=len(lags), of=len(rows), number=lag),)
    return ()


def _measure_lags(seen: Array, members: int, rows: Array, given: Array) -> Array:
    """(m,) how many steps back the same environment gave what was asked about, where it did."""
    first: dict[tuple[int, bytes], int] = {}
    for row, one in enumerate(seen):
        first.setdefault((row % members, one.tobytes()), row)
    asked = np.ascontiguousarray(given.astype(np.float32)) + 0
    places = [first.get((row % members, one.tobytes()), row) for row, one in zip(rows.tolist(), asked, strict=True)]
    lags = (rows - np.array(places, np.int64)) // members
    return np.asarray(lags[lags > 0])
