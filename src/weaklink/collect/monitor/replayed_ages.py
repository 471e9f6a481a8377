"""How old the rows are that a trainer learns from by replay, followed from the first update that was read to the end.

A replay buffer gives rows of every age that it holds. One that never gives a row of the newer half of the run
is not written to any longer, or not drawn from where it is; one that holds no more than a few minibatches forgets
everything at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.flaw_kinds import FEW_ROWS_KEPT, OLD_ROWS_ALONE
from weaklink.base.evidence.recovered import ACTION_CRITIC, OF_EACH_ACTION, RecoveredFlaw, RecoveredUpdate
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading

FEWEST_READINGS, FEWEST_ROWS = 3, 256
"""Updates, and rows of each of them, that must show the same."""

KNOWN = 0.9
"""The share of rows that must have been found."""

NEWER, GROWN = 0.5, 1.25
"""The share of what was collected that is never drawn from, and how much more must have been collected meanwhile."""

FEW_MINIBATCHES, MUCH_MORE = 4, 8
"""Minibatches that a buffer must hold more than, and how many times more must have been collected."""


class ReplayedAges(NamedTuple):
    """What one update that was read drew from.

    Attributes:
        newest: the last row that was drawn, counted from the beginning of the run.
        held: how many rows before a loss its oldest row had been collected, at most.
        collected: the rows that had been collected by then.
        minibatch: the rows of a minibatch.
    """

    newest: int
    held: int
    collected: int
    minibatch: int


class ReplayedRows:
    """The ages of replayed rows, update by update."""

    def __init__(self) -> None:
        self._seen: list[ReplayedAges] = []

    def note(self, reading: UpdateReading, read: RecoveredUpdate) -> None:
        """Takes an update that was read; those of trainers that learn from what they just collected tell nothing."""
        heads = {each.head for each in read.values if each.kind in (*OF_EACH_ACTION, ACTION_CRITIC)}
        calls = [call for call in reading.calls if call.head in heads and not call.climbed]
        rows = np.concatenate([call.rows for call in calls] or [np.zeros(0, np.int64)])
        known = rows[rows != UNMATCHED]
        if len(rows) < FEWEST_ROWS or len(known) < KNOWN * len(rows) or not _are_replayed(reading.tape.stamps, calls):
            return
        before, stamps = reading.tape.first * reading.tape.members, reading.tape.stamps
        held = max(int(np.searchsorted(stamps, call.stamp) - _find_oldest(call)) for call in calls)
        size = int(np.median([len(call.rows) for call in calls]))
        self._seen.append(ReplayedAges(before + int(known.max()), held, before + reading.tape.rows, size))

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What is wrong with them at the end of a run, and the kinds that would have shown."""
        if len(self._seen) < FEWEST_READINGS:
            return (), frozenset()
        late, last = self._seen[-FEWEST_READINGS:], self._seen[-1]
        flaws = []
        reach = max(each.newest for each in late) + 1
        if reach < NEWER * late[0].collected and last.collected >= GROWN * late[0].collected:
            flaws.append(RecoveredFlaw(kind=OLD_ROWS_ALONE, head="", count=reach, of=last.collected))
        held = max(each.held for each in late)
        small = held <= FEW_MINIBATCHES * min(each.minibatch for each in late)
        if small and last.collected >= MUCH_MORE * held:
            flaws.append(
                RecoveredFlaw(kind=FEW_ROWS_KEPT, head="", count=held, of=last.collected, number=last.minibatch)
            )
        return tuple(flaws), frozenset((OLD_ROWS_ALONE, FEW_ROWS_KEPT))


def _find_oldest(call: HeadCall) -> int:
    known = call.rows[call.rows != UNMATCHED]
    return int(known.min()) if len(known) else 0


def _are_replayed(stamps: Array, calls: list[HeadCall]) -> bool:
    """Whether environments are stepped between the losses, and a later loss has rows from before an earlier one."""
    moments = sorted({call.stamp for call in calls})
    if len(moments) < 2:
        return False
    later = [call.rows[call.rows != UNMATCHED] for call in calls if call.stamp == moments[-1]]
    return bool(np.any(stamps[np.concatenate(later)] < moments[0]))
