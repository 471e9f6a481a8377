"""Evaluations that are played in the environment of training, after which training goes on as if nothing had been.

A running episode is broken off by a reset, or one that was just begun is begun again; nothing of what follows is
learned from, and the step after it is made past the end of an episode: from an observation that the environment no
longer holds.
"""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.flaw_kinds import EVALUATED_INSIDE
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.reading.tape_rows import find_cuts, find_past_ends

SURELY = 12.0
"""Rows of a stretch that would have been learned from if it were like others: that none was has a chance of 6e-6."""


def find_played_aside(reading: UpdateReading) -> tuple[RecoveredFlaw, ...]:
    """Stretches of whole episodes up to a step past an end, of which nothing is learned although what came before and
    what comes after is."""
    tape = reading.tape
    if tape.resets is None or tape.members != 1 or not reading.calls:
        return ()
    rows = np.concatenate([call.rows for call in reading.calls])
    learned = np.unique(rows[rows >= 0])
    if not len(learned):
        return ()
    share = len(learned) / float(learned[-1] + 1 - learned[0])
    begins = 1 + np.flatnonzero(np.asarray(tape.terminated | tape.truncated, bool) | find_cuts(tape))
    aside = [end - begin for begin, end in _list_stretches(learned, begins, find_past_ends(tape))]
    aside = [length for length in aside if share * length > SURELY]
    if not aside:
        return ()
    return (RecoveredFlaw(kind=EVALUATED_INSIDE, head=tape.environment, count=sum(aside), of=len(aside)),)


def _list_stretches(learned: Array, begins: Array, ends: Array) -> list[tuple[int, int]]:
    """From the first episode that begins behind a row which is learned from to the row behind each step past an end,
    where no row in between is learned from.

    Args:
        learned: the rows that are learned from, in their order.
        begins: those with which episodes begin.
        ends: those that a step went past the end of.
    """
    found = []
    for end in ends.tolist():
        place = int(np.searchsorted(learned, end, side="right"))
        if 0 < place < len(learned):
            behind = begins[(begins > learned[place - 1]) & (begins <= end)]
            found += [(int(behind[0]), end + 1)] if len(behind) else []
    return found
