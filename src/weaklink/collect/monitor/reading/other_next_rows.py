"""Next observations that belong to other rows of a buffer, as where each column is drawn with indices of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import OTHER_NEXT_ROWS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.tape_rows import find_following, list_bootstrapped

FEWEST, FEWEST_KEPT = 64, 128
"""Rows that tell, and steps on the tape, of which few lie close to a row by chance."""

LONGEST, SELDOM = 16, 0.2
"""Steps of the longest window after which a target goes on, and the share of next observations that may lie within it
by chance."""


def find_other_next(reading: UpdateReading, head: str) -> Iterator[RecoveredFlaw]:
    """A head whose targets are made with next observations of rows far from its own; none where any belongs to it."""
    calls = [call for call in reading.of_head(head) if not call.climbed]
    if reading.tape.rows < FEWEST_KEPT or any(find_following(reading, call) for call in calls):
        return
    lags = _list_lags(reading, calls)
    close = (lags >= 0) & (lags < LONGEST)
    if len(lags) >= FEWEST and close.mean() <= SELDOM:
        yield RecoveredFlaw(kind=OTHER_NEXT_ROWS, head=head, count=int((~close).sum()), of=len(lags))


def _list_lags(reading: UpdateReading, calls: Sequence[HeadCall]) -> Array:
    """(n,) how many steps after its row the next observation of each row was seen, as far as both are known."""
    pairs = [(call.rows, answer.next_rows) for call in calls for answer in list_bootstrapped(reading, call)[:1]]
    if not pairs:
        return np.zeros(0, np.int64)
    own, after = (np.concatenate(each) for each in zip(*pairs, strict=True))
    known = (own != UNMATCHED) & (after != UNMATCHED)
    return np.asarray((after - own)[known] // reading.tape.members)
