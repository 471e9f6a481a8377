"""What networks are asked about beside a loss: the observations that followed its rows, in whatever form.

Where observations repeat, or are given in a form that is not theirs, such as a vector of ones and zeros, an input alone
tells no row. Beside a loss whose rows are known it need not: either its inputs are what followed these rows, one after
the other, or they are something else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, HeadCall, Tape

FEWEST, ALIGNED = 16, 0.9
"""Rows that must be what followed, and the share of those that tell: at ends some trainers go on with a reset."""

MOSTLY = 0.75
"""The share of the times at which an observation was seen that it must have been given in one form."""

DIFFERENT = 0.1
"""The share of these in which what followed must be another input than the row's own: else nothing tells both apart."""


def place_beside(calls: Sequence[HeadCall], answers: Sequence[HeadAnswer], tape: Tape) -> tuple[HeadAnswer, ...]:
    """The answers; those without places that are about what followed the rows of a loss of the same step have its rows.

    Args:
        calls: with their rows.
        answers: with their rows, as far as they are known.
        tape: of the environments.
    """
    groups: dict[tuple[str, str], list[tuple[HeadCall, HeadAnswer]]] = {}
    for answer in (each for each in answers if np.any(each.next_rows == UNMATCHED)):
        for call in (each for each in calls if _may_be_beside(each, answer)):
            groups.setdefault((call.head, answer.head), []).append((call, answer))
    forms, placed = PreparedObservations(tape, (*calls, *answers)), dict[int, Array]()
    for pairs in groups.values():
        for made in forms.list_following(pairs):
            placed.update({id(answer): rows for (_, answer), rows in zip(pairs, made, strict=True)})
    return tuple(replace(each, next_rows=placed.get(id(each), each.next_rows)) for each in answers)


def _may_be_beside(call: HeadCall, answer: HeadAnswer) -> bool:
    """Whether an answer may be about what followed the rows of a call, by its form and moment."""
    same = call.inputs.shape == answer.inputs.shape and call.inputs.dtype == answer.inputs.dtype
    return same and call.goes_with(answer) and bool(np.all(call.rows != UNMATCHED))


class PreparedObservations:
    """The observations of a tape in the forms that networks were given.

    Args:
        tape: of the environments.
        passes: through networks, with their rows.
    """

    def __init__(self, tape: Tape, passes: Sequence[HeadCall | HeadAnswer]) -> None:
        self._tape = tape
        self._asked = [each for each in passes if np.all(each.rows != UNMATCHED)]
        self._given: dict[tuple[int, str], dict[bytes, bytes]] = {}

    def list_following(self, pairs: Sequence[tuple[HeadCall, HeadAnswer]]) -> Iterator[list[Array]]:
        """The rows of each answer that follows those of its call; nothing where it is about something else."""
        rows = np.concatenate([call.rows for call, _ in pairs])
        own, given = (_list_bytes(np.concatenate([each[place].inputs for each in pairs])) for place in (0, 1))
        ends = np.cumsum([len(call.rows) for call, _ in pairs])[:-1]
        for wanted in self._list_wanted(pairs[0][0].inputs, rows):
            told = np.array([each != b"" for each in wanted])
            same = told & np.array([one == other for one, other in zip(wanted, given, strict=True)])
            apart = same & np.array([one != other for one, other in zip(own, given, strict=True)])
            if same.sum() >= max(FEWEST, ALIGNED * told.sum()) and apart.sum() >= DIFFERENT * same.sum():
                yield np.split(np.where(same, rows, UNMATCHED), ends)
                return

    def _list_wanted(self, like: Array, rows: Array) -> Iterator[list[bytes]]:
        """What followed the rows, in each form that it may have; nothing where that is not known."""
        after = self._tape.next_observations[rows]
        known = np.asarray(self._tape.known, bool)[rows]
        if after.shape[1] == like.shape[1]:
            yield [
                each if there else b"" for each, there in zip(_list_bytes(after.astype(like.dtype)), known, strict=True)
            ]
        given = self._read_given(like)
        keys = zip(_list_bytes(after), known, strict=True)
        yield [given.get(key, b"") if there else b"" for key, there in keys]

    def _read_given(self, like: Array) -> dict[bytes, bytes]:
        """What networks were given for each observation, nearly always; a few of their rows may be wrong."""
        form = like.shape[1], str(like.dtype)
        if form not in self._given:
            found: dict[bytes, Counter[bytes]] = {}
            for asked in (each for each in self._asked if (each.inputs.shape[1], str(each.inputs.dtype)) == form):
                keys = _list_bytes(self._tape.observations[asked.rows])
                for key, value in zip(keys, _list_bytes(asked.inputs), strict=True):
                    found.setdefault(key, Counter())[value] += 1
            best = {key: (*each.most_common(1)[0], each.total()) for key, each in found.items()}
            self._given[form] = {key: value for key, (value, count, of) in best.items() if count >= MOSTLY * of}
        return self._given[form]


def _list_bytes(table: Array) -> list[bytes]:
    return [each.tobytes() for each in np.ascontiguousarray(table) + 0]
