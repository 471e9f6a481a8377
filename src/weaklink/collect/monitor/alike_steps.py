"""Replayed rows whose observations repeat, as in small worlds: steps that are alike in all that counts are one step.

An observation may stand at a hundred places of a tape. With what followed it, which a network was asked about for the
same optimizer step, and with the action whose value is moved, the places that are left often have one reward and one
end: then a target says the same at any of them, and one of them is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, HeadCall, Tape

BELONGS = 0.9
"""The share of the rows whose observation is on the tape of which that pair of observations must be there, too."""

FEWEST = 8
"""Rows that must show it."""

ONE_MOVED = 0.95
"""The share of rows in which one action alone is moved, for a head of action values."""


class SettledRows(NamedTuple):
    """The rows of a minibatch: what was given, what followed, and where that is."""

    given: Array
    following: Array
    rows: Array


def settle_alike(
    calls: Sequence[HeadCall], answers: Sequence[HeadAnswer], tape: Tape
) -> tuple[tuple[HeadCall, ...], tuple[HeadAnswer, ...]]:
    """The calls and answers of replayed minibatches with the rows that have several places which are alike."""
    lost = [call for call in calls if np.any(call.rows == UNMATCHED)]
    steps = AlikeSteps(tape) if lost and tape.choices and tape.actions.size == tape.rows > 0 else None
    if steps is None or not steps.repeat:
        return tuple(calls), tuple(answers)
    settled = [each for each in (_settle_call(call, answers, steps) for call in lost) if each is not None]
    return (
        tuple(replace(call, rows=_take_rows(call.inputs, call.rows, settled, "given")) for call in calls),
        tuple(
            replace(
                answer,
                rows=_take_rows(answer.inputs, answer.rows, settled, "given"),
                next_rows=_take_rows(answer.inputs, answer.next_rows, settled, "following"),
            )
            for answer in answers
        ),
    )


def _settle_call(call: HeadCall, answers: Sequence[HeadAnswer], steps: AlikeSteps) -> SettledRows | None:
    actions = _find_actions(call, steps.choices)
    if actions is None:
        return None
    for answer in answers:
        same = answer.inputs.shape == call.inputs.shape and answer.inputs.dtype == call.inputs.dtype
        if same and call.goes_with(answer) and not np.array_equal(answer.inputs, call.inputs):
            rows = steps.find(call.inputs, answer.inputs, actions)
            if rows is not None:
                kept = np.where(call.rows == UNMATCHED, rows, call.rows)
                return SettledRows(call.inputs, answer.inputs, kept)
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


def _take_rows(inputs: Array, rows: Array, settled: Sequence[SettledRows], part: str) -> Array:
    """The rows of a pass that was given one of the minibatches."""
    for each in settled:
        given = getattr(each, part)
        if given.shape == inputs.shape and np.array_equal(given, inputs):
            return np.asarray(np.where(rows == UNMATCHED, each.rows, rows))
    return rows


class AlikeSteps:
    """The steps of a tape by what was seen before and after them.

    Attributes:
        repeat: whether observations do.
        choices: how many actions there are.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape, self.choices = tape, tape.choices
        self._actions = np.asarray(tape.actions).reshape(-1).astype(np.int64)
        self._random = np.random.default_rng(0)
        self.repeat = len(np.unique(_view_rows(tape.observations))) < tape.rows
        self._places: dict[tuple[str, float], dict[bytes, list[int]]] = {}

    def find(self, given: Array, following: Array, actions: Array) -> Array | None:
        """(n,) a row for each of these steps, UNMATCHED where those that fit are not alike; None where the second
        observations are not what followed the first."""
        before, after = (np.ascontiguousarray(each) + 0 for each in (given, following))
        keys = [(one.tobytes(), other.tobytes()) for one, other in zip(before, after, strict=True)]
        for places in self._list_forms(given):
            seen = {key[: before[0].nbytes] for key in places}
            there = sum(one in seen for one, _ in keys)
            together = sum(one + other in places for one, other in keys)
            if there >= FEWEST and together >= BELONGS * there:
                fits = (places.get(one + other, []) for one, other in keys)
                return np.array([self._pick(rows, own) for rows, own in zip(fits, actions, strict=True)], np.int64)
        return None

    def _list_forms(self, like: Array) -> Iterator[dict[bytes, list[int]]]:
        """The rows of every pair of observations in the type of these, as they are and as shares of 255."""
        for scale in (1.0, 255.0) if self._tape.observations.dtype == np.uint8 else (1.0,):
            key = str(like.dtype), scale
            if key not in self._places:
                self._places[key] = self._list_places(like.dtype, scale)
            yield self._places[key]

    def _list_places(self, kind: np.dtype[Any], scale: float) -> dict[bytes, list[int]]:
        tape, found = self._tape, dict[bytes, list[int]]()
        seen = [tape.observations, tape.next_observations]
        if scale != 1.0:
            seen = [each.astype(np.float32) / np.float32(scale) for each in seen]
        before, after = (np.ascontiguousarray(each.astype(kind)) + 0 for each in seen)
        for row in np.flatnonzero(tape.known & ~tape.fillers).tolist():
            found.setdefault(before[row].tobytes() + after[row].tobytes(), []).append(row)
        return found

    def _pick(self, rows: list[int], action: int) -> int:
        """One of the rows with this action, drawn at random, where reward and end are the same in all of them."""
        own = np.array(rows, np.int64)
        own = own[self._actions[own] == action] if len(own) else own
        ends = zip(self._tape.rewards[own], self._tape.terminated[own], self._tape.truncated[own], strict=True)
        return int(self._random.choice(own)) if len(set(ends)) == 1 else UNMATCHED


def _view_rows(table: Array) -> Array:
    """The rows of a table as single items."""
    flat = np.ascontiguousarray(table.reshape(len(table), -1))
    return flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).ravel()
