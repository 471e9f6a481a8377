"""Observations that are each scaled by their own mean and spread before a network is given them.

No scale of a column leads from what the environment gave to such a row. But with its mean taken off and divided by its
spread, over its columns, it is the observation that was treated alike, and each row has a factor of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import OWN_SCALES
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading

FEWEST_COLUMNS, MOST_COLUMNS = 4, 64
"""Columns from which on a factor and an offset of each row do not fit by chance, and up to which it costs nothing."""

FIRST_ROWS, FEWEST_ROWS, MOST_ROWS, MOST_STEPS = 4, 16, 64, 4_096
"""Rows that are looked for at first, rows that must tell, and how many of them, and of the newest steps of the tape,
are looked at."""

NEARLY_ALL = 0.9
"""The share of rows that must be found."""

STANDARD = 1e-2
"""How far means and spreads of rows that were scaled by themselves may lie from 0 and from one another: there may be a
small number added to the spread, or one column less counted in it."""

CLOSE, APART = 1e-4, 0.05
"""How far a row may lie from another once both are scaled, and how much the factors of the rows must differ."""


def find_own_scales(reading: UpdateReading) -> Iterator[RecoveredFlaw]:
    """The first head whose rows are found once each is scaled by itself."""
    observations = reading.tape.observations
    width = observations.shape[1]
    if not FEWEST_COLUMNS <= width <= MOST_COLUMNS or not np.issubdtype(observations.dtype, np.floating):
        return
    newest = observations[-MOST_STEPS:].astype(np.float64)
    seen = _scale(newest)
    for head in reading.heads:
        calls = [call for call in reading.of_head(head) if call.inputs.shape[1] >= width and not call.climbed]
        inputs = [call.inputs[:, :width] for call in calls]
        given = np.concatenate(inputs)[:MOST_ROWS].astype(np.float64) if inputs else newest[:0]
        # rows as they came may be multiples of one another, as in small grids
        if not _are_standard(given):
            continue
        for rows in (given[:FIRST_ROWS], given):
            found = np.array([_find_nearest(seen, each) for each in _scale(rows)], np.int64)
            known = found != UNMATCHED
            if known.mean() < NEARLY_ALL:
                break
        factors = rows[known].std(axis=1) / np.maximum(newest[found[known]].std(axis=1), 1e-30)
        if known.sum() >= FEWEST_ROWS and np.std(factors) > APART * np.mean(factors):
            count = sum(len(call.rows) for call in calls)
            yield RecoveredFlaw(kind=OWN_SCALES, head=head, count=count, of=count)
            return


def _are_standard(rows: Array) -> bool:
    """Whether all rows have a mean of 0 and one and the same spread over their columns, but for rows of one number."""
    moving = rows[np.ptp(rows, axis=1) > 0.0]
    if len(moving) < FIRST_ROWS:
        return False
    return bool(np.abs(moving.mean(axis=1)).max() <= STANDARD and np.ptp(moving.std(axis=1)) <= STANDARD)


def _scale(rows: Array) -> Array:
    """Rows with a mean of 0 and a spread of 1 over their columns."""
    moved = rows - rows.mean(axis=1, keepdims=True)
    return np.asarray(moved / np.maximum(moved.std(axis=1, keepdims=True), 1e-12))


def _find_nearest(seen: Array, row: Array) -> int:
    apart = np.abs(seen - row).max(axis=1)
    nearest = int(apart.argmin())
    return nearest if apart[nearest] <= CLOSE else UNMATCHED
