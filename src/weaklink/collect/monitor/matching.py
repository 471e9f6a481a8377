"""Rows that a network was given, found on the tape of the environments.

Exact bytes come first, in the forms that trainers keep observations in. What the network was given while collecting is
known by the moment at which it was asked, whatever was done to the observation before; what it is given again while
learning is found by that. Nothing is guessed: a row that fits at two places is at none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, UNMATCHED, HeadAnswer, HeadCall, Tape
from weaklink.collect.monitor.column_fits import fit_columns
from weaklink.collect.monitor.newest_rows import NewestRows, list_doubted
from weaklink.collect.monitor.row_forms import (
    EXACT,
    ExactRows,
    RowForm,
    ScaledRows,
    drop_repeats,
    fit_scale,
    settle_repeats,
)
from weaklink.collect.monitor.sequences import MOST_BYTES, SequenceFinder, list_given

FEWEST_LOST = 0.5
"""The share of rows without a place from which on other forms are looked for, and below which one of them is right."""

DIFFERENT = 0.5
"""The share of inputs that must differ from each other to be known by what followed the newest steps."""


ONLINE = 0.5
"""The share of a head's passes that must be given what was asked right before the last step: what is drawn from a
buffer seldom is."""


class RowFinder:
    """Finds rows of inputs on one tape.

    Args:
        tape: of the environments.
        asked: what networks answered while collecting; their rows are known by their stamps.

    Attributes:
        newest: finds rows by the moment at which they came.
    """

    def __init__(self, tape: Tape, asked: Sequence[HeadAnswer] = ()) -> None:
        self._tape, self.newest = tape, NewestRows(tape)
        self._times = {int(stamp): time for time, stamp in enumerate(tape.stamps[:: tape.members])}
        self._own = {int(stamp): row for row, stamp in enumerate(tape.stamps)} if tape.members > 1 else {}
        placed = [(answer, rows) for answer in asked if (rows := self.find_asked(answer)) is not None]
        doubted = list_doubted([answer for answer, _ in placed])
        self._asked = [(answer.inputs, rows) for answer, rows in placed if answer.head not in doubted]
        self._given = list(list_given(tape, placed))
        self._sequences: dict[tuple[int, str], list[SequenceFinder]] = {}
        self._moments: dict[int, list[Array]] = {}
        for answer, _ in placed:
            self._moments.setdefault(answer.stamp, []).append(answer.inputs)
        self._forms: dict[tuple[int, str, bool], list[RowForm]] = {}

    @property
    def members(self) -> int:
        """Environments that are stepped together."""
        return self._tape.members

    @property
    def forgotten(self) -> int:
        """Steps of all members that came before the first one on the tape."""
        return self._tape.first

    def find_asked(self, answer: HeadAnswer | HeadCall) -> Array | None:
        """The rows that a network was asked about while collecting, by the moment; None where it was not."""
        time, count, members = self._times.get(answer.stamp), len(answer.outputs), self._tape.members
        if time is not None and count == members:
            return np.arange(time * members, (time + 1) * members)
        if count == 1 and answer.stamp in self._own:
            return np.array([self._own[answer.stamp]])
        return None

    def find_stepped(self, call: HeadCall) -> Array | None:
        """The rows of the step just made, where a pass was given what networks were asked right before it, and nothing
        that they are asked before the next; None where it was not."""
        members = self._tape.members
        time = int(np.searchsorted(self._tape.stamps[::members], call.stamp)) - 1
        if time < 0 or len(call.inputs) != members:
            return None
        before = self._moments.get(int(self._tape.stamps[time * members]), ())
        if not any(np.array_equal(each, call.inputs) for each in before):
            return None
        if any(np.array_equal(each, call.inputs) for each in self._moments.get(call.stamp, ())):
            return None
        return np.arange(time * members, (time + 1) * members)

    def find(self, inputs: Array, *, following: bool = False) -> Array:
        """The row of each input, or of each observation that followed."""
        if not inputs.size:
            return np.full(len(inputs), UNMATCHED)
        key = inputs.shape[1], str(inputs.dtype), following
        if key not in self._forms:
            self._forms[key] = list(self._list_forms(inputs, following))
        found = np.full(len(inputs), UNMATCHED)
        for form in self._forms[key]:
            lost = found == UNMATCHED
            if not lost.any():
                break
            found[lost] = form.find(inputs[lost])
        return found

    def find_sequences(self, inputs: Array) -> Array:
        """The rows of inputs that are rollouts of some members or parts of them, as they were seen or asked about."""
        form = inputs.shape[1], str(inputs.dtype)
        if form not in self._sequences:
            self._sequences[form] = list(self._list_sequences(inputs)) if inputs.size and self._tape.rows else []
        found = (finder.find(inputs) for finder in self._sequences[form])
        nowhere = np.full(len(inputs), UNMATCHED)
        return next((rows for rows in found if np.all(rows != UNMATCHED)), nowhere)

    def _list_sequences(self, inputs: Array) -> Iterator[SequenceFinder]:
        tape = self._tape
        whole = tape.observations.reshape(tape.times, tape.members, -1), np.ones(tape.times, bool)
        for seen, known in (whole, *self._given):
            if seen.shape[2] == inputs.shape[1] and seen.nbytes <= MOST_BYTES:
                yield SequenceFinder(seen.astype(inputs.dtype), known)

    def fit(self, inputs: Array, *, following: bool = False) -> None:
        """Looks for rows whose columns have a scale and an offset that nobody saw, where most have no place yet.

        A trainer may scale observations before it stores them, and a normaliser may move on after collecting.
        """
        if not inputs.size or (self.find(inputs, following=following) == UNMATCHED).mean() <= FEWEST_LOST:
            return
        seen, rows = self._list_seen(following)
        different = np.unique(inputs, axis=0)  # rows that were never collected are all alike
        columns = fit_columns(inputs, seen) if FEWEST_LOST * len(different) < len(seen) else {}
        if not columns:  # perhaps because most of them cannot be on so short a tape
            return
        made = np.column_stack([column.apply(seen) for column in columns.values()])
        form = ScaledRows(made, rows, made.std(axis=0), EXACT, tuple(columns))
        if (form.find(different) == UNMATCHED).mean() < FEWEST_LOST:
            self._forms[inputs.shape[1], str(inputs.dtype), following].append(form)

    def _list_seen(self, following: bool) -> tuple[Array, Array]:
        """The observations before steps, or after them as far as they are known, and their rows."""
        tape = self._tape
        rows = np.flatnonzero(tape.known) if following else np.arange(tape.rows)
        return (tape.next_observations[rows] if following else tape.observations), rows

    def _find_repeated(self, rows: Array) -> Array:
        """Which rows have an observation that the tape has at another place too, where no network was asked about it.

        An agent that explores does not ask its network at every step, so that among what it was asked about one of
        several places may be missing, whatever is made of observations on the way.
        """
        keys = np.array(list(map(hash, map(bytes, np.ascontiguousarray(self._tape.observations)))))
        everywhere, asked = Counter(keys.tolist()), Counter(keys[np.unique(rows)].tolist())
        return np.array([everywhere[key] > asked[key] for key in keys[rows].tolist()], bool)

    def _list_forms(self, inputs: Array, following: bool) -> Iterator[RowForm]:
        tape, (seen, rows) = self._tape, self._list_seen(following)
        asked = [each for each in self._asked if each[0].shape[1:] == inputs.shape[1:]]
        if asked and not following:
            given, places = (np.concatenate(parts) for parts in zip(*asked, strict=True))
            given, places = drop_repeats(given, settle_repeats(given, places, tape))
            doubted = self._find_repeated(places)
            yield ExactRows(given, places, inputs, doubted=doubted, members=tape.members)
        if seen.shape[1] == inputs.shape[1]:
            yield ExactRows(seen, rows, inputs)
            if seen.dtype == np.uint8:
                yield ExactRows(seen.astype(np.float32) / np.float32(255.0), rows, inputs)
            if asked:
                yield from fit_scale(asked, tape.observations, seen, rows)
        acted = tape.actions.reshape(tape.rows, -1)
        if seen.shape[1] + acted.shape[1] == inputs.shape[1]:
            if not following:
                yield ExactRows(np.concatenate([seen, acted.astype(seen.dtype)], axis=1), rows, inputs)
                yield ExactRows(np.concatenate([acted.astype(seen.dtype), seen], axis=1), rows, inputs)
            # the action is another one where a policy was asked for it anew
            yield ExactRows(seen, rows, inputs, columns=slice(0, seen.shape[1]))


def list_asked(answers: Sequence[HeadAnswer], tape: Tape) -> list[tuple[Array, Array]]:
    """What networks were given right before steps, with the rows of these."""
    finder = RowFinder(tape)
    placed = ((each.inputs, finder.find_asked(each)) for each in answers if each.when == COLLECTING)
    return [(given, rows) for given, rows in placed if rows is not None]


def match_calls(calls: Sequence[HeadCall], finder: RowFinder) -> tuple[HeadCall, ...]:
    """The calls with their rows; those made while collecting by their moment."""
    for form in {(call.inputs.shape[1], call.inputs.dtype) for call in calls}:
        alike = [call.inputs for call in calls if (call.inputs.shape[1], call.inputs.dtype) == form]
        finder.fit(np.concatenate(alike))
    stepped = {id(call): finder.find_stepped(call) for call in calls}
    late = {call.head for call in calls if stepped[id(call)] is not None}
    online = {head for head in late if _learns_online([stepped[id(call)] for call in calls if call.head == head])}
    found = []
    for call in calls:
        rows = find_rows(call, finder)
        just_made = stepped[id(call)] if call.head in late else finder.find_asked(call)
        if call.head in online and just_made is not None:  # others may look the same
            found.append(replace(call, rows=just_made))
        else:
            found.append(replace(call, rows=pick_found(rows, just_made)))
    known = {call.head for call in found if len(call.rows) and np.all(call.rows != UNMATCHED)}
    return tuple(call if call.head in known else _place_after(call, finder) for call in found)


def _learns_online(stepped: Sequence[Array | None]) -> bool:
    """Whether a head learns from the step that was just made, whenever its passes tell."""
    return sum(rows is not None for rows in stepped) >= ONLINE * len(stepped)


def _place_after(call: HeadCall, finder: RowFinder) -> HeadCall:
    """The call, at the newest steps where it was given what followed them; of a head of which no pass is known."""
    if len(np.unique(call.inputs, axis=0)) < DIFFERENT * len(call.inputs):
        return call  # where observations repeat, they are those of many a step
    after = finder.newest.find_whole(call.inputs, call.stamp, following=True)
    return call if after is None else replace(call, rows=after, after=True)


def find_rows(call: HeadCall, finder: RowFinder) -> Array:
    """The rows of a pass by its inputs: one by one, as sequences, or as the newest steps in their order."""
    rows = finder.find(call.inputs)
    if np.all(rows != UNMATCHED):
        return rows
    whole = finder.find_sequences(call.inputs)
    if np.all(whole != UNMATCHED):
        return whole
    newest = finder.newest.find_whole(call.inputs, call.stamp)
    return rows if newest is None else newest


def list_collected(calls: Sequence[HeadCall], finder: RowFinder) -> list[HeadAnswer]:
    """What heads answered while collecting where a trainer keeps the graph of these answers and learns from them.

    A pass about the step that was just made is none of them, although the next one has not been made yet.
    """
    found = []
    for call in calls:
        if call.step == 0 and finder.find_asked(call) is not None and finder.find_stepped(call) is None:
            nowhere = np.full(len(call.rows), UNMATCHED)
            found.append(
                HeadAnswer(call.head, COLLECTING, 0, call.inputs, call.outputs, nowhere, nowhere.copy(), call.stamp)
            )
    return found


def pick_found(found: Array, otherwise: Array | None) -> Array:
    """The rows that were found, and where none was, those that another way gives."""
    if otherwise is None or len(otherwise) != len(found):
        return found
    return np.where(found == UNMATCHED, otherwise, found)
