"""Whether the rows that are learned from are still those that were collected, where no two of them are alike."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.rollout import Array, Storage
from weaklink.base.evidence.rollout_packing import unpack_rollout
from weaklink.base.evidence.update import COLLECTING, UpdateReading

TOLD_APART = 0.9
"""The share of distinct inputs while collecting from which on the trainer does not make observations equal itself."""

FEWEST_DISTINCT = 0.5
"""Rows drawn with replacement leave 1 - 1/e of the rows that there are, or of those drawn, distinct: 0.63."""


def read_storage(reading: UpdateReading) -> Storage | None:
    """How many of the observations that are learned from repeat; None where the networks are given something else."""
    tape = reading.tape
    width = tape.observations.shape[1]
    learned = [call.inputs for call in reading.calls if call.inputs.shape[1] == width]
    asked = [
        answer.inputs
        for answer in reading.answers
        if answer.when == COLLECTING and answer.inputs.shape == (tape.members, width)
    ]
    if not learned or not asked or _count_distinct(asked) < TOLD_APART * _count_distinct([tape.observations]):
        return None
    possible = min(sum(map(len, learned)), tape.rows)
    distinct = _count_distinct(learned)
    repeated = 0.0 if distinct >= FEWEST_DISTINCT * possible else 1.0 - distinct / possible
    return Storage(repeated=repeated, rows=possible)


def explains_targets(readings: Sequence[bytes]) -> bool:
    """Whether updates that were read tell of what the targets of some critic are made, its discount among it."""
    recovered = [unpack_rollout(packed).recovered for packed in readings]
    return any(each.gamma is not None for read in recovered if read is not None for each in read.values)


def _count_distinct(parts: Sequence[Array]) -> int:
    return len(np.unique(np.concatenate(parts), axis=0))
