"""Sequences of rows that come back whole: rollouts of some members, or windows of them, as recurrent trainers learn.

Single observations may repeat, as in small grids; whole sequences of them seldom do. So rows that no bytes of their own
tell apart are told by those around them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, Tape

SHORTEST = 4
"""Rows of a window; fewer are alike by chance where observations repeat."""

CHANCE = 1e-6
"""The probability below which no sequence is found at a place by chance."""

MOST_BYTES = 64 * 2**20
"""Of all windows of one length; longer ones of larger tapes are not looked for."""


class SequenceFinder:
    """Finds sequences among the rows of a tape as they look in one form.

    Args:
        seen: (times, members, d) what the rows look like.
        known: (times,) whether that is known of a time.
    """

    def __init__(self, seen: Array, known: Array) -> None:
        self._members, self._known = seen.shape[1], known
        # by member, and so that -0.0 and 0.0 are one number
        self._rows = np.ascontiguousarray(seen.swapaxes(0, 1)) + 0
        self._windows: dict[int, dict[bytes, int]] = {}
        self._alike = _measure_alike(seen)

    def find(self, inputs: Array) -> Array:
        """The row of each input, where all of them are sequences of one length that stand at one place each.

        Args:
            inputs: (n, d) sequence by sequence, or time by time.
        """
        given = np.ascontiguousarray(inputs.astype(self._rows.dtype)) + 0
        for length in self._list_lengths(len(inputs)):
            count = len(inputs) // length
            for by_time in (True, False):
                parts = given.reshape(length, count, -1).swapaxes(0, 1) if by_time else given.reshape(count, length, -1)
                if not self._begins(parts[0]) or not self._begins(parts[-1]):
                    continue
                starts = [self._place(length).get(part.tobytes(), UNMATCHED) for part in parts]
                if UNMATCHED not in starts:
                    rows = np.asarray(starts)[:, None] + np.arange(length) * self._members
                    return np.ravel(rows.T if by_time else rows)
        return np.full(len(inputs), UNMATCHED)

    def _list_lengths(self, count: int) -> Iterator[int]:
        """The lengths that sequences may have: whole rollouts first, then shorter ones that divide the rows, as far as
        not all of them can be found by chance and they do not take too much memory."""
        times = self._rows.shape[1]
        for length in range(min(times, count), SHORTEST - 1, -1):
            size = self._members * (times - length + 1) * length * self._rows[0, :1].nbytes
            if count % length == 0 and size <= MOST_BYTES and self._is_telling(length, count // length):
                yield length

    def _is_telling(self, length: int, count: int) -> bool:
        """Whether so many sequences are not all found by chance: by how often steps are alike after others that are, or
        by how many windows of the tape are alike."""
        windows = self._members * (self._rows.shape[1] - length + 1)
        if windows * self._alike ** (length - 1) <= CHANCE:
            return True
        if min(2.0 / windows, 1.0) ** count > CHANCE:  # were no two alike, so few sequences would tell nothing
            return False
        alike = windows - len(self._place(length)) + 1
        return bool(min(2.0 * alike / windows, 1.0) ** count <= CHANCE)

    def _begins(self, part: Array) -> bool:
        """Whether the first rows of a sequence stand one after the other at some place: cheaper than all windows."""
        return part[:SHORTEST].tobytes() in self._place(SHORTEST)

    def _place(self, length: int) -> dict[bytes, int]:
        """The first row of every window of the tape by its bytes, `UNMATCHED` where it stands at several places."""
        if length not in self._windows:
            places: dict[bytes, int] = {}
            for start in range(self._rows.shape[1] - length + 1):
                if self._known[start : start + length].all():
                    for member in range(self._members):
                        name = self._rows[member, start : start + length].tobytes()
                        places[name] = UNMATCHED if name in places else start * self._members + member
            self._windows[length] = places
        return self._windows[length]


def _measure_alike(seen: Array) -> float:
    """How probable it is that two steps are alike, given that those before them are."""
    names: dict[bytes, int] = {}
    rows = np.ascontiguousarray(seen).reshape(-1, seen.shape[2])
    single = np.array([names.setdefault(row.tobytes(), len(names)) for row in rows]).reshape(seen.shape[:2])
    pairs = single[:-1] * (single.max() + 1) + single[1:]
    before, both = (np.unique(each, return_counts=True)[1].astype(float) for each in (single[:-1], pairs))
    return float(np.sum(both * (both - 1.0)) / max(np.sum(before * (before - 1.0)), 1.0))


def list_given(tape: Tape, placed: Sequence[tuple[HeadAnswer, Array]]) -> Iterator[tuple[Array, Array]]:
    """What each head was given about all members right before their steps, (times, members, d), and (times,) whether
    it was; the last of several questions between two steps is about the next one."""
    asked: dict[tuple[str, int, str], dict[int, Array]] = {}
    for answer, rows in placed:
        if len(rows) == tape.members:
            form = answer.head, answer.inputs.shape[1], str(answer.inputs.dtype)
            asked.setdefault(form, {})[int(rows[0]) // tape.members] = answer.inputs
    for (_, width, kind), moments in asked.items():
        seen = np.zeros((tape.times, tape.members, width), kind)
        seen[list(moments)] = list(moments.values())
        yield seen, np.isin(np.arange(tape.times), list(moments))
