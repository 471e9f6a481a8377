"""Replayed rows whose observations repeat, as in small worlds: steps that are alike in all that counts are one step.

An observation may stand at a hundred places of a tape. With what followed it, one step later or several, which a
network was asked about for the same optimizer step, and with the action whose value is moved, the places that are left
often have the same rewards and one end: then a target says the same at any of them, and one of them is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, HeadCall, Tape
from weaklink.collect.monitor.alike_windows import AlikeSteps

ONE_MOVED = 0.95
"""The share of rows in which one action alone is moved, for a head of action values."""


class SettledRows(NamedTuple):
    """The rows of a minibatch: what was given and what followed, and the rows before the one and behind the other; and
    whether these are windows that run through the ends of episodes."""

    given: Array
    following: Array
    rows: Array
    ends: Array
    through: bool


def settle_alike(
    calls: Sequence[HeadCall], answers: Sequence[HeadAnswer], tape: Tape
) -> tuple[tuple[HeadCall, ...], tuple[HeadAnswer, ...]]:
    """The calls and answers of replayed minibatches with the rows that have several places which are alike."""
    lost = [call for call in calls if np.any(call.rows == UNMATCHED)]
    steps = AlikeSteps(tape) if lost and tape.choices and tape.actions.size == tape.rows > 0 else None
    if steps is None or not steps.repeat:
        return tuple(calls), tuple(answers)
    settled = _settle_calls(lost, answers, steps)
    if any(each.through for each in settled):  # what one minibatch shows holds of all that come from the same buffer
        steps.through = True
        settled = _settle_calls(lost, answers, steps)
    given = [(each.given, each.rows) for each in settled]
    followed = [(each.following, each.ends) for each in settled]
    return (
        tuple(replace(call, rows=_take_rows(call.inputs, call.rows, given)) for call in calls),
        tuple(
            replace(
                answer,
                rows=_take_rows(answer.inputs, answer.rows, given),
                next_rows=_take_rows(answer.inputs, answer.next_rows, followed),
            )
            for answer in answers
        ),
    )


def _settle_calls(calls: Sequence[HeadCall], answers: Sequence[HeadAnswer], steps: AlikeSteps) -> list[SettledRows]:
    return [each for each in (_settle_call(call, answers, steps) for call in calls) if each is not None]


def _settle_call(call: HeadCall, answers: Sequence[HeadAnswer], steps: AlikeSteps) -> SettledRows | None:
    actions = _find_actions(call, steps.choices)
    if actions is None:
        return None
    for answer in answers:
        same = answer.inputs.shape == call.inputs.shape and answer.inputs.dtype == call.inputs.dtype
        if same and call.goes_with(answer) and not np.array_equal(answer.inputs, call.inputs):
            found = steps.find(call.inputs, answer.inputs, actions, call.rows)
            if found is not None:
                return SettledRows(call.inputs, answer.inputs, *found)
    return None


def _find_actions(call: HeadCall, choices: int) -> Array | None:
    """(n,) the action whose value or distribution of values is moved, -1 where none is; None for other heads."""
    width = call.outputs.shape[1]
    if width % choices:
        return None
    moved = call.gradients != 0.0
    for each in (moved.reshape(len(moved), choices, -1).any(2), moved.reshape(len(moved), -1, choices).any(1)):
        told = each.any(axis=1)
        if told.any() and float(np.mean(each[told].sum(axis=1) == 1)) >= ONE_MOVED:
            return np.where(each.sum(axis=1) == 1, each.argmax(axis=1), -1)
    return None


def _take_rows(inputs: Array, rows: Array, settled: Sequence[tuple[Array, Array]]) -> Array:
    """The rows of a pass that was given one of the minibatches."""
    for given, own in settled:
        if given.shape == inputs.shape and np.array_equal(given, inputs):
            return np.asarray(np.where(rows == UNMATCHED, own, rows))
    return rows
