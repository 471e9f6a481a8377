"""Recurrent layers that are never given their memory when acting, or still have it where an episode begins.

What a layer is handed as its memory is known pass by pass, whatever the network around it looks like. A layer that
takes in one step at a time and always starts from nothing remembers nothing; where the loss unrolls it over sequences,
it learns to remember what it will not have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import EMPTY_MEMORY, KEPT_MEMORY, NO_MEMORY
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import MemoryPass, Tape, UpdateReading
from weaklink.collect.monitor.reading.memories import stop_at_ends

FEWEST, FEWEST_STARTS = 16, 8
"""Times that a layer was asked before environments were stepped, and starts of episodes among them, that tell."""

NEARLY_ALL = 0.9
"""The share of these times at which it must take in one step: a loss may be among them."""

MOST_ENDS = 0.5
"""The share of steps that may end an episode: where nearly all do there is nothing to remember."""

ALIKE = 1e-4
"""How far memories at the starts of episodes may lie apart that are one and the same, such as one that is learned."""


def find_memory_gaps(reading: UpdateReading, critics: Sequence[RecoveredValues]) -> Iterator[RecoveredFlaw]:
    """The recurrent layers that act without their memory, or with that of the episode before.

    Args:
        reading: of the update.
        critics: all heads of values, whose targets tell whether returns go on through ends.
    """
    ends_cut = stop_at_ends(critics)
    for layer in dict.fromkeys(each.layer for each in reading.memories):
        passes = [each for each in reading.memories if each.layer == layer]
        acting = _list_acting(passes, reading.tape)
        if len(acting) < FEWEST:
            continue
        if not any(np.any(each.sizes) for each in acting):
            unrolled = any(each.length > 1 or np.any(each.sizes) for each in passes)
            kind = EMPTY_MEMORY if unrolled else NO_MEMORY
            yield RecoveredFlaw(kind=kind, head=layer, count=len(acting), of=len(acting))
        elif ends_cut and not _is_told_ends(reading):
            starts = _list_starts(acting, reading.tape)
            if len(starts) >= FEWEST_STARTS and np.all(starts > 0.0) and np.ptp(starts) > ALIKE * starts.max():
                yield RecoveredFlaw(kind=KEPT_MEMORY, head=layer, count=len(starts), of=len(starts))


def _list_acting(passes: Sequence[MemoryPass], tape: Tape) -> list[MemoryPass]:
    """The first pass before each step of environments; none where a layer takes in several steps at once.

    What comes after the last step is the loss, as far as anybody knows.
    """
    ended = np.asarray(tape.terminated | tape.truncated, bool)
    if not tape.rows or ended.mean() > MOST_ENDS:
        return []
    first: dict[int, MemoryPass] = {}
    for each in passes:
        if each.step == 0 and each.stamp < passes[-1].stamp:
            first.setdefault(each.stamp, each)
    acting = [each for each in first.values() if each.length == 1]
    return acting if len(acting) >= NEARLY_ALL * len(first) else []


def _list_starts(acting: Sequence[MemoryPass], tape: Tape) -> Array:
    """The sizes of what was given at the first steps of episodes that follow another one on the tape."""
    skipped = np.asarray(tape.fillers, bool).reshape(tape.times, tape.members)
    over = np.asarray(tape.terminated | tape.truncated, bool).reshape(skipped.shape) | skipped
    times = {int(stamp): time for time, stamp in enumerate(tape.stamps[:: tape.members])}
    found = [
        each.sizes[member]
        for each in acting
        if len(each.sizes) == tape.members and times.get(each.stamp, 0) > 0
        for member in np.flatnonzero(over[times[each.stamp] - 1] & ~skipped[times[each.stamp]])
    ]
    return np.array(found, np.float64)


def _is_told_ends(reading: UpdateReading) -> bool:
    """Whether networks are given more than observations, as agents are that learn over several episodes on purpose."""
    width = reading.tape.observations.shape[1]
    return any(call.inputs.shape[1] > width for call in reading.calls)
