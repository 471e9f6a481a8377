"""Choices that an environment calls invalid: closed when the policy acts, they must be closed in its loss as well.

A closed choice gets no gradient. Which choices are closed in a row is what the environment told with its observation; a
policy that never takes one of them, although its logits would have it do so many times, closes them when it acts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.flaw_kinds import OTHER_MASK
from weaklink.base.evidence.recovered import CHOICES, RecoveredFlaw, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.categorical import split_choices
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting

FEWEST, EXPECTED = 32, 10.0
"""Rows with closed choices that must tell, and how many closed choices should have been taken if they were open."""

SILENT = 1e-5
"""The share of a row's largest gradient below which an entry has none, in single precision."""

MOSTLY = 0.5
"""The share of rows in which closed choices must have a gradient: a choice of hardly any probability has none."""


def find_mask_flaws(
    reading: UpdateReading, policies: Sequence[RecoveredPolicy], taken: TakenActions
) -> Iterator[RecoveredFlaw]:
    """The policies that close choices when they act and leave them open in their losses."""
    masks = reading.tape.masks
    if masks is None or not taken.discrete:
        return
    for policy in (each for each in policies if each.kind == CHOICES):
        found = _judge_head(reading, policy.head, taken, masks)
        if found is not None and found[0] > MOSTLY * found[1]:
            yield RecoveredFlaw(kind=OTHER_MASK, head=policy.head, count=found[0], of=found[1], number=found[2])


def _judge_head(reading: UpdateReading, head: str, taken: TakenActions, masks: Array) -> tuple[int, int, float] | None:
    """In how many rows closed choices have a gradient, of how many, and how many of them should have been taken by then
    if they were open; None where that cannot be told."""
    joined, acted = join_calls(reading.of_head(head)), read_acting(reading, head)
    joined = joined.take((joined.rows >= 0) & np.any(joined.asked != 0.0, axis=1))
    count = taken.table.shape[1]
    pieces = [slice(None)] if count == 1 else split_choices(joined.asked, count) if len(joined.rows) else None
    if pieces is None or acted is None or acted.shape[1] != joined.outputs.shape[1]:
        return None
    widths = [joined.outputs[:1, piece].shape[1] for piece in pieces]
    if widths.count(masks.shape[1]) != 1:
        return None
    place = widths.index(masks.shape[1])
    asked, logits = joined.asked[:, pieces[place]], acted[joined.rows][:, pieces[place]]
    closed, chosen = ~masks[joined.rows], taken.table[joined.rows, place]
    told = closed.any(axis=1) & np.any(asked != 0.0, axis=1) & np.isfinite(logits).all(axis=1)
    if told.sum() < FEWEST or closed[np.arange(len(chosen)), chosen][told].any():
        return None
    rows = np.unique(joined.rows[told], return_index=True)[1]
    expected = float(np.sum(np.exp(log_softmax(logits[told][rows])) * closed[told][rows]))
    if expected < EXPECTED:
        return None
    size = np.abs(asked)[told]
    moved = np.any((size > SILENT * size.max(axis=1, keepdims=True)) & closed[told], axis=1)
    return int(moved.sum()), int(told.sum()), expected
