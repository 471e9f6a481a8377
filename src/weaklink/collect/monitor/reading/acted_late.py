"""Actions that are chosen by an observation of an earlier step: one that is never replaced, or only after a reset.

What a network was asked right before a step is known by the moment. It is to be the observation of that step; where it
is, byte for byte, one that the same environment gave before, the loop goes on with an old one. Behind a normaliser no
byte is the same, but each column still follows that of some step by a scale and an offset, which hardly move in a few
steps.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import LATE_ACTING
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.lines import fit_column_lines
from weaklink.collect.monitor.reading.tape_rows import list_acted

FEWEST = 32
"""Steps that must tell."""

MOSTLY, NEARLY_ALL = 0.5, 0.95
"""The share of the steps at which another observation than theirs is asked about, and of those that are earlier ones:
at the first step of an episode nothing is older."""


LONGEST_LAG, TOGETHER = 4, 64
"""Steps that observations behind a normaliser are looked for at, and rows for which its statistics hardly move."""

FOLLOWED, WORSE = 0.03, 10.0
"""What lines may leave of a column that is the one asked about, and how many times as much those of the step itself."""


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
            back = float(np.median(lags))
            return (RecoveredFlaw(kind=LATE_ACTING, head=head, count=len(lags), of=len(rows), number=back),)
    apart = {head: (rows[~own[rows]], given[~own[rows]]) for head, (rows, given) in asked.items()}
    prepared = {head: _find_prepared_lag(reading, *each) for head, each in apart.items()}
    known = {head: lag for head, lag in prepared.items() if lag is not None}
    if not known or 0 in known.values():  # one is asked about the step itself, another once more about the one before
        return ()
    first = next(iter(known))
    count = len(apart[first][0])
    return (RecoveredFlaw(kind=LATE_ACTING, head=first, count=count, of=count, number=known[first]),)


def _find_prepared_lag(reading: UpdateReading, rows: Array, given: Array) -> int | None:
    """How many steps back lies what a head was asked about behind a normaliser; None where nobody knows."""
    tape = reading.tape
    ended = np.asarray(tape.terminated | tape.truncated, bool)
    inside = rows >= LONGEST_LAG * tape.members
    for lag in range(1, LONGEST_LAG + 1):
        inside &= ~ended[np.maximum(rows - lag * tape.members, 0)]
    rows, given = rows[inside], given[inside]
    if len(rows) < TOGETHER or given.shape[1] != tape.observations.shape[1]:
        return None
    left = np.stack([_measure_left(tape.observations[rows - lag * tape.members], given) for lag in range(LONGEST_LAG)])
    moving = np.isfinite(left).all(axis=0)
    if not moving.any():
        return None
    lag = int(np.argmin(left[:, moving].max(axis=1)))
    clear = not lag or np.all(left[0, moving] >= WORSE * left[lag, moving])
    return lag if clear and np.all(left[lag, moving] <= FOLLOWED) else None


def _measure_left(seen: Array, given: Array) -> Array:
    """(columns,) what lines leave of the columns of a few rows in a row, in the middle; NaN where nothing moves."""
    return np.asarray(np.median(list(_list_left(seen.astype(np.float64), given.astype(np.float64))), axis=0))


def _list_left(seen: Array, given: Array) -> Iterator[Array]:
    for start in range(0, len(seen) - TOGETHER + 1, TOGETHER):
        part = slice(start, start + TOGETHER)
        yield fit_column_lines(seen[part], given[part]).left


def _measure_lags(seen: Array, members: int, rows: Array, given: Array) -> Array:
    """(m,) how many steps back the same environment gave what was asked about, where it did."""
    first: dict[tuple[int, bytes], int] = {}
    for row, one in enumerate(seen):
        first.setdefault((row % members, one.tobytes()), row)
    asked = np.ascontiguousarray(given.astype(np.float32)) + 0
    places = [first.get((row % members, one.tobytes()), row) for row, one in zip(rows.tolist(), asked, strict=True)]
    lags = (rows - np.array(places, np.int64)) // members
    return np.asarray(lags[lags > 0])
