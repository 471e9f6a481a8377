"""Losses whose gradient flows through their own target.

The network that learns is then asked with a gradient about the observations that followed as well. A target of
`reward + gamma * next value` has the gradient `-gamma` times that of its prediction there, row by row, and none where
the episode ended. Where it is a copy that is asked, which no optimizer holds, the same does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import THROUGH_TARGET
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, LEARNING, UNMATCHED, HeadAnswer, HeadCall, Tape, UpdateReading

FEWEST = 16
"""Rows that must show it in one step."""

ALIKE = 1e-3
"""How far the factor of a row may lie from that of all, as a share of it: a few 32-bit operations."""

NEARLY_ALL = 0.95
"""The share of rows of a pass that must follow those of another."""


def take_targets_out(reading: UpdateReading) -> tuple[UpdateReading, tuple[RecoveredFlaw, ...]]:
    """The reading with such passes as what they are, answers about the next observations; and where there were any."""
    answers: dict[int, HeadAnswer] = {}
    rates: dict[str, list[float]] = {}
    rows: dict[str, int] = {}
    for head in reading.heads:
        for group in _group_steps(reading.of_head(head)):
            for own, ahead in ((one, other) for one in group for other in group if one is not other):
                rate = _find_rate(reading.tape, own, ahead)
                if rate is not None:
                    answers[id(ahead)] = _as_answer(ahead, own.rows)
                    rates.setdefault(head, []).append(rate)
                    rows[head] = rows.get(head, 0) + len(own.rows)
    copies = {id(ahead): _as_answer(ahead, own.rows) for own, ahead in _list_copies(reading)}
    if copies:
        kept = tuple(call for call in reading.unmoved if id(call) not in copies)
        reading = replace(reading, unmoved=kept, answers=(*reading.answers, *copies.values()))
    flaws = tuple(
        RecoveredFlaw(kind=THROUGH_TARGET, head=head, count=rows[head], of=rows[head], number=float(np.median(each)))
        for head, each in rates.items()
    )
    if not flaws:
        return reading, ()
    kept = tuple(call for call in reading.calls if id(call) not in answers)
    return replace(reading, calls=kept, answers=(*reading.answers, *answers.values())), flaws


def _list_copies(reading: UpdateReading) -> Iterator[tuple[HeadCall, HeadCall]]:
    """Passes of the loss, each with the one by which a copy that no optimizer holds gave it its next values."""
    for own in reading.calls:
        for ahead in reading.unmoved:
            alike = ahead.step == own.step and len(ahead.rows) == len(own.rows)
            if alike and _find_rate(reading.tape, own, ahead) is not None:
                yield own, ahead


def _group_steps(calls: Sequence[HeadCall]) -> list[list[HeadCall]]:
    """The passes of one head by optimizer step and number of rows, where there are several."""
    groups: dict[tuple[int, int], list[HeadCall]] = {}
    for call in calls:
        groups.setdefault((call.step, len(call.rows)), []).append(call)
    return [group for group in groups.values() if len(group) > 1]


def _find_rate(tape: Tape, own: HeadCall, ahead: HeadCall) -> float | None:
    """The discount with which the gradient of one pass comes back in another, about what followed its rows."""
    known = own.rows != UNMATCHED
    if known.sum() < FEWEST or own.outputs.shape != ahead.outputs.shape or not _follow(tape, own, ahead, known):
        return None
    asked, back = own.gradients.sum(axis=1)[known], ahead.gradients.sum(axis=1)[known]
    inner = ~np.asarray(tape.terminated | tape.truncated, bool)[own.rows[known]] & (asked != 0.0)
    if inner.sum() < FEWEST:
        return None
    factors = -back[inner] / asked[inner]
    middle = float(np.median(factors))
    alike = np.abs(factors - middle) <= ALIKE * abs(middle)
    return middle if 0.0 < middle <= 1.0 + ALIKE and np.mean(alike) >= NEARLY_ALL else None


def _follow(tape: Tape, own: HeadCall, ahead: HeadCall, known: Array) -> bool:
    wanted = tape.next_observations[own.rows[known]].astype(ahead.inputs.dtype)
    if ahead.inputs.shape[1] >= wanted.shape[1]:
        given = ahead.inputs[known][:, : wanted.shape[1]]
        if np.mean(np.all(given == wanted, axis=1)) >= NEARLY_ALL:
            return True
    placed = known & (ahead.rows != UNMATCHED)
    after = ahead.rows[placed] == own.rows[placed] + tape.members
    return bool(placed.any()) and float(np.mean(after)) >= NEARLY_ALL


def _as_answer(call: HeadCall, rows: Array) -> HeadAnswer:
    when = LEARNING if call.step else COLLECTING
    nowhere = np.full(len(rows), UNMATCHED)
    return HeadAnswer(call.head, when, call.step, call.inputs, call.outputs, nowhere, rows.copy(), call.stamp)
