"""How far one update moves a policy: from what it answered when it acted to its last answer to the same rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import UPDATE_TOO_FAR
from weaklink.base.evidence.recovered import CHOICES, GAUSSIAN, RecoveredFlaw, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting, sees_as_acted

FEWEST = 32
"""Rows that tell how far a policy went."""

FAR, MOSTLY = 0.5, 0.5
"""The divergence of two policies that have little in common, ten times what usual updates lead to at most; and the
share of rows that must be so far."""


def find_far(
    reading: UpdateReading, policies: Sequence[RecoveredPolicy], taken: TakenActions
) -> tuple[tuple[RecoveredFlaw, ...], bool]:
    """Policies that one update moved beyond recognition, and whether there are any of which that is known."""
    found, told = [], False
    for policy in policies:
        moved = _measure(reading, policy, taken) if sees_as_acted(reading, policy.head) else None
        if moved is None or len(moved) < FEWEST:
            continue
        told, far = True, int(np.count_nonzero(moved > FAR))
        if far > MOSTLY * len(moved):
            middle = float(np.median(moved))
            found.append(RecoveredFlaw(kind=UPDATE_TOO_FAR, head=policy.head, count=far, of=len(moved), number=middle))
    return tuple(found), told


def _measure(reading: UpdateReading, policy: RecoveredPolicy, taken: TakenActions) -> Array | None:
    """The divergence of the policy that learns, when a row came for the last time, from the one that acted, by row."""
    before, joined = read_acting(reading, policy.head), join_calls(reading.of_head(policy.head))
    if before is None or before.shape[1] != joined.outputs.shape[1]:
        return None
    latest = dict(zip(joined.rows.tolist(), range(len(joined.rows)), strict=True))
    rows = np.array([row for row in latest if row >= 0 and np.isfinite(before[row]).all()], np.int64)
    old, new = before[rows], joined.outputs[[latest[row] for row in rows.tolist()]]
    if policy.kind == CHOICES:
        old, new = log_softmax(old), log_softmax(new)
        return np.asarray(np.sum(np.exp(old) * (old - new), axis=1)) if taken.table.shape[1] == 1 else None
    if policy.kind != GAUSSIAN:
        return None
    dimensions = taken.table.shape[1]
    spread = np.std(taken.table[rows] - old[:, :dimensions], axis=0) if len(rows) else np.zeros(dimensions)
    if not np.all(spread > 0.0):
        return None
    return np.asarray(0.5 * np.sum(((new - old)[:, :dimensions] / spread) ** 2, axis=1))
