"""Weights of a policy's loss that belong to places in the epochs, and not to the rows that stand there.

Observations and actions are shuffled anew for each epoch. What is not drawn with the same index stays where it is: the
n-th row of every epoch has one weight, whatever row that is. This shows without any estimator.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import ADVANTAGES_IN_PLACE
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadCall, UpdateReading
from weaklink.collect.monitor.policy_reading import read_weights
from weaklink.collect.monitor.reading.weights import measure_repeats

UNRELATED, STAYS = 0.3, 0.9
"""The correlation of a row's own weights below which they are not its own, and that of the weights of a place from
which on they are the place's."""


def find_unshuffled(reading: UpdateReading, policy: RecoveredPolicy) -> RecoveredFlaw | None:
    """The flaw of weights that stay in their places while rows are shuffled; None where there is none."""
    if policy.repeated is None or policy.repeated >= UNRELATED:
        return None
    calls = reading.of_head(policy.head)
    seen, period = read_weights(reading, policy.head), _find_period(calls)
    if seen is None or period is None:
        return None
    batches, rows, places = (np.concatenate(each) for each in zip(*_list_places(calls, period), strict=True))
    count = reading.tape.rows
    keys, order = np.unique(batches * count + rows, return_index=True)
    found = places[order][np.searchsorted(keys, seen.batches * count + seen.rows)]
    again = measure_repeats(replace(seen, rows=found), policy.entropy_weight)
    if again is None or again < STAYS:
        return None
    return RecoveredFlaw(
        kind=ADVANTAGES_IN_PLACE, head=policy.head, count=len(seen.rows), of=len(seen.rows), number=again
    )


def _find_period(calls: Sequence[HeadCall]) -> int | None:
    """How many passes make an epoch: up to the first row that comes back, all epochs alike; None where none is."""
    known = [call.rows[call.rows != UNMATCHED] for call in calls]
    before = np.zeros(0, np.int64)
    for index, rows in enumerate(known):
        if np.isin(rows, before).any():
            sizes = [len(call.rows) for call in calls]
            alike = all(size == sizes[place % index] for place, size in enumerate(sizes))
            return index if alike and len(calls) >= 2 * index else None
        before = np.concatenate([before, rows])
    return None


def _list_places(calls: Sequence[HeadCall], period: int) -> list[tuple[Array, Array, Array]]:
    """For each pass the number of the pass, the known rows, and their places in the epoch."""
    begins = np.cumsum([0, *(len(call.rows) for call in calls[:period])])
    found = []
    for batch, call in enumerate(calls):
        kept = np.flatnonzero(call.rows != UNMATCHED)
        found.append((np.full(len(kept), batch), np.asarray(call.rows)[kept], begins[batch % period] + kept))
    return found
