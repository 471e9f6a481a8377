"""Evaluations that are played in the environment of training, after which training goes on where it was broken off.

A running episode is broken off by a reset, nothing of what follows is learned from, and the step after it is made
past the end of an episode: from an observation that the environment no longer holds.
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
    """Stretches of steps between an episode that was broken off and a step past an end, of which nothing is learned."""
    tape = reading.tape
    if tape.resets is None or tape.members != 1 or not reading.calls:
        return ()
    learned = np.zeros(tape.rows, bool)
    rows = np.concatenate([call.rows for call in reading.calls])
    learned[rows[rows >= 0]] = True
    share = float(learned.mean())
    stretches = _list_stretches(np.flatnonzero(find_cuts(tape)), find_past_ends(tape))
    aside = [end - begin for begin, end in stretches if not learned[begin:end].any() and share * (end - begin) > SURELY]
    if not aside:
        return ()
    return (RecoveredFlaw(kind=EVALUATED_INSIDE, head=tape.environment, count=sum(aside), of=len(aside)),)


def _list_stretches(cuts: Array, ends: Array) -> list[tuple[int, int]]:
    """From the row after each episode that was broken off to the next row that a step went past the end of."""
    places = np.searchsorted(ends, cuts)
    pairs = zip(cuts.tolist(), places.tolist(), strict=True)
    return [(cut + 1, int(ends[place]) + 1) for cut, place in pairs if place < len(ends)]
