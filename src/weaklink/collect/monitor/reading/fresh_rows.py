"""Rows that a loop has just collected, beside those that it learned from before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.reading.tape_rows import count_steps_before

FEWEST_ROLLOUTS, FEWEST_STALE = 4, 2
"""Small rollouts that tell what a loop does with each, and updates that must learn from rows of an earlier one."""

ON_TAPE = 0.9
"""The share of rows that must be on the tape."""

MIXED = 0.5
"""The share of earlier rows that share their minibatch with new ones, as in a storage that still holds them."""

MOSTLY_FRESH = 0.3
"""The share of updates that learn from new rows alone in a loop that learns from what it has just collected: in replay
there is none."""


def count_stale(reading: UpdateReading, *, on_policy: bool = False) -> tuple[int, int]:
    """How many rows a loop of short rollouts learned from, and how many of an earlier rollout; none for other loops.

    Such a loop learns from what it has just collected: at least every third of its updates from that alone. One whose
    losses are known to be `on_policy` is one too where each update learns from all rows of the one before as well.
    """
    fresh = find_fresh(reading)
    heads = [[place for place, call in enumerate(reading.calls) if call.head == head] for head in reading.heads]
    widest = max(heads, key=lambda places: sum(len(fresh[place]) for place in places), default=[])
    several = len({reading.calls[place].stamp for place in widest}) >= FEWEST_ROLLOUTS
    whole = [bool(fresh[place].all()) for place in widest]
    known = np.concatenate([reading.calls[place].rows != UNMATCHED for place in widest] or [np.zeros(1, bool)])
    kept = on_policy and _keeps_all([reading.calls[place] for place in widest])
    # of a replay buffer that reaches back further than the tape, most rows look as if they were new
    if not several or np.mean(known) < ON_TAPE or (np.mean(whole) < MOSTLY_FRESH and not kept):
        return 0, 0
    old = [int((~fresh[place]).sum()) for place in widest]
    mixed = sum(count for place, count in zip(widest, old, strict=True) if fresh[place].any())
    if not kept and mixed < MIXED * sum(old):
        return (
            0,
            0,
        )  # minibatches of earlier rows alone are replay, as an actor-critic with a buffer has it beside its own
    # what was asked before the first of them was not captured, so that its rows may be taken for others that look alike
    stale = sum(old) if np.count_nonzero(old) >= FEWEST_STALE else 0
    return sum(len(fresh[place]) for place in widest), stale


def _keeps_all(calls: Sequence[HeadCall]) -> bool:
    """Whether every update learns from all rows that the one before learned from."""
    updates: dict[int, set[int]] = {}
    for call in calls:
        updates.setdefault(call.stamp, set()).update(call.rows[call.rows != UNMATCHED].tolist())
    pairs = list(pairwise(updates.values()))
    return bool(pairs) and all(earlier and earlier < later for earlier, later in pairs)


def find_fresh(reading: UpdateReading) -> list[Array]:
    """For each call, which of its rows were collected after all that was learned before; unknown rows count as such."""
    collected = count_steps_before(reading)
    begun: dict[int, int] = {}
    for call in reading.calls:
        begun[call.stamp] = min(begun.get(call.stamp, call.step), call.step)
    return [(call.rows == UNMATCHED) | (collected[call.rows] >= begun[call.stamp]) for call in reading.calls]
