"""Windows of several steps that run through the end of an episode into the next one.

A window that the end of its episode does not cut adds up rewards of two episodes, and goes on with the value of an
observation that its first action has no part in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import CROSSING_WINDOWS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, Tape, UpdateReading

FEWEST, NEARLY_ALL = 8, 0.9
"""Rows whose windows have an end before their last step that must tell, and the share of them that must go on."""


def find_crossing(reading: UpdateReading, calls: Sequence[HeadCall], steps: int) -> RecoveredFlaw | None:
    """The flaw of windows of so many steps that ends of episodes do not cut; None where they do, or few would be."""
    if steps < 2:
        return None
    tape = reading.tape
    cut = _find_first_ends(tape, steps)
    through, own = 0, 0
    for call in calls:
        for answer in reading.answers:
            if answer.step != call.step or len(answer.next_rows) != len(call.rows):
                continue
            known = (call.rows != UNMATCHED) & (answer.next_rows != UNMATCHED)
            rows, last = call.rows[known], answer.next_rows[known]
            crosses = cut[rows] != UNMATCHED
            through += int(np.count_nonzero(crosses & (last == rows + (steps - 1) * tape.members)))
            own += int(np.count_nonzero(crosses & (last == cut[rows])))
    if through < FEWEST or through < NEARLY_ALL * (through + own):
        return None
    return RecoveredFlaw(kind=CROSSING_WINDOWS, head=calls[0].head, count=through, of=through + own, number=steps)


def _find_first_ends(tape: Tape, steps: int) -> Array:
    """(rows,) the first row before the last one of each window with which an episode ends and after which the
    environment was reset; UNMATCHED where there is none."""
    resets = np.zeros(tape.rows, bool) if tape.resets is None else np.asarray(tape.resets, bool)
    ended = np.asarray(tape.terminated | tape.truncated, bool) & resets
    first = np.full(tape.rows, UNMATCHED)
    for step in reversed(range(steps - 1)):
        rows = np.arange(tape.rows) + step * tape.members
        there = rows < tape.rows
        there[there] = ended[rows[there]]
        first[there] = rows[there]
    return first
