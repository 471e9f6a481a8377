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


def find_sequences(inputs: Array, seen: Array, known: Array) -> Array:
    """The row of each input, where all of them are sequences of one length that stand at one place each.

    Args:
        inputs: (n, d) sequence by sequence, or time by time.
        seen: (times, members, d) what the rows of the tape look like.
        known: (times,) whether that is known of a time.
    """
    given = np.ascontiguousarray(inputs) + 0  # so that -0.0 and 0.0 are one number
    alike = _measure_alike(seen)
    for length in _list_lengths(len(inputs), len(seen)):
        windows = seen.shape[1] * (len(seen) - length + 1)
        if windows * length * given[:1].nbytes > MOST_BYTES or windows * alike ** (length - 1) > CHANCE:
            continue
        places = _place_windows(seen, known, length)
        count = len(inputs) // length
        for by_time in (True, False):
            parts = given.reshape(length, count, -1).swapaxes(0, 1) if by_time else given.reshape(count, length, -1)
            starts = [places.get(np.ascontiguousarray(part).tobytes(), UNMATCHED) for part in parts]
            if UNMATCHED not in starts:
                rows = np.asarray(starts)[:, None] + np.arange(length) * seen.shape[1]
                return np.ravel(rows.T if by_time else rows)
    return np.full(len(inputs), UNMATCHED)


def _measure_alike(seen: Array) -> float:
    """How probable it is that two steps are alike, given that those before them are."""
    single = np.unique(seen.reshape(-1, seen.shape[2]), axis=0, return_inverse=True)[1].reshape(seen.shape[:2])
    pairs = single[:-1] * (single.max() + 1) + single[1:]
    before, both = (np.unique(each, return_counts=True)[1].astype(float) for each in (single[:-1], pairs))
    return float(np.sum(both * (both - 1.0)) / max(np.sum(before * (before - 1.0)), 1.0))


def _list_lengths(count: int, times: int) -> Iterator[int]:
    """The lengths that sequences may have: whole rollouts first, then shorter ones that divide the rows."""
    yield from (length for length in range(min(times, count), SHORTEST - 1, -1) if count % length == 0)


def _place_windows(seen: Array, known: Array, length: int) -> dict[bytes, int]:
    """The first row of every window of the tape by its bytes, `UNMATCHED` where it stands at several places."""
    times, members, _ = seen.shape
    by_member = np.ascontiguousarray(seen.swapaxes(0, 1)) + 0
    places: dict[bytes, int] = {}
    for start in range(times - length + 1):
        if known[start : start + length].all():
            for member in range(members):
                name = by_member[member, start : start + length].tobytes()
                places[name] = UNMATCHED if name in places else start * members + member
    return places


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
