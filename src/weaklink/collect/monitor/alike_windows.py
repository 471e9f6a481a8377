"""Windows of a tape by what was seen before and after them, in worlds whose observations repeat."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, Tape
from weaklink.collect.monitor.reading.windows import MOST_STEPS, list_windows

BELONGS = 0.9
"""The share of the rows whose observation is on the tape of which that pair of observations must be there, too."""

FEWEST = 8
"""Rows that must show it."""


class SeenIds:
    """A number for every observation of a tape, before and after its steps, in one type and scale."""

    def __init__(self, tape: Tape, like: Array, scale: float) -> None:
        self._ids: dict[bytes, int] = {}
        seen = [tape.observations, tape.next_observations]
        if scale != 1.0:
            seen = [each.astype(np.float32) / np.float32(scale) for each in seen]
        before, after = (np.ascontiguousarray(each.astype(like.dtype)) + 0 for each in seen)
        self.before, self.after = (
            np.array([self._ids.setdefault(row.tobytes(), len(self._ids)) for row in each], np.int64)
            for each in (before, after)
        )

    @property
    def count(self) -> int:
        """How many different observations there are."""
        return len(self._ids)

    def find(self, inputs: Array) -> Array:
        """(n,) the numbers of inputs, -1 where they are none of the tape's."""
        rows = np.ascontiguousarray(inputs) + 0
        return np.array([self._ids.get(row.tobytes(), -1) for row in rows], np.int64)


class AlikeWindows:
    """The windows of one length.

    Args:
        tape: of the environments.
        seen: the numbers of its observations.
        steps: of a window; the end of an episode makes it shorter.
        through: whether ends of episodes do not.

    Attributes:
        ends: (rows,) the last row of the window that begins with each row.
        through: as given.
    """

    def __init__(self, tape: Tape, seen: SeenIds, steps: int, *, through: bool = False) -> None:
        windows = list_windows(tape, steps, through=through)
        self._seen, self.ends, self.through = seen, windows[-1], through
        ended, lengths = np.asarray(tape.terminated | tape.truncated, bool)[self.ends], self.ends - windows[0]
        whole = (ended & (not through)) | (lengths == (steps - 1) * tape.members)
        rows = np.flatnonzero(whole & tape.known[self.ends] & ~(tape.fillers | tape.fillers[self.ends]))
        pairs = seen.before[rows] * seen.count + seen.after[self.ends[rows]]
        order = np.argsort(pairs, kind="stable")
        self._rows, self._pairs = rows[order], pairs[order]
        self._traits = np.stack(
            [*tape.rewards[windows], tape.terminated[self.ends], tape.truncated[self.ends], lengths]
        )

    def find(self, given: Array, following: Array) -> list[Array]:
        """The rows with which each of these pairs of observations, by their numbers, may begin."""
        wanted = np.where((given < 0) | (following < 0), -1, given * self._seen.count + following)
        first, last = (np.searchsorted(self._pairs, wanted, side) for side in ("left", "right"))
        return [self._rows[one:other] for one, other in zip(first, last, strict=True)]

    def are_alike(self, rows: Array) -> bool:
        """Whether windows have the same rewards and the same end."""
        return bool(len(rows)) and bool(np.all(self._traits[:, rows] == self._traits[:, rows[:1]]))


class AlikeSteps:
    """The windows of a tape, of one step and of several.

    Attributes:
        repeat: whether observations do.
        choices: how many actions there are.
        through: whether only windows that run through ends of episodes are looked for.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape, self.choices, self.through = tape, tape.choices, False
        self._actions = np.asarray(tape.actions).reshape(-1).astype(np.int64)
        self._random = np.random.default_rng(0)
        self.repeat = len(np.unique(_view_rows(tape.observations))) < tape.rows
        self._seen: dict[tuple[str, float], SeenIds] = {}
        self._windows: dict[tuple[SeenIds, int, bool], AlikeWindows] = {}

    def find(self, given: Array, following: Array, actions: Array, known: Array) -> tuple[Array, Array, bool] | None:
        """(n,) the first and the last row of each of these windows, UNMATCHED where those that fit are not alike, and
        whether they run through ends of episodes; None where the second observations are not what followed the first.

        Args:
            given: the observations before.
            following: those that followed, as many steps later as most of them are.
            actions: the first of each window.
            known: the first rows as far as they are known.
        """
        for scale in (1.0, 255.0) if self._tape.observations.dtype == np.uint8 else (1.0,):
            seen = self._number(given, scale)
            windows = self._find_length(seen, *(pair := (seen.find(given), seen.find(following))))
            if windows is not None:
                fits = zip(windows.find(*pair), actions, strict=True)
                rows = np.array([self._pick(windows, own, action) for own, action in fits], np.int64)
                rows = np.where(known == UNMATCHED, rows, known)
                return rows, np.where(rows == UNMATCHED, UNMATCHED, windows.ends[rows]), windows.through
        return None

    def _number(self, like: Array, scale: float) -> SeenIds:
        key = str(like.dtype), scale
        if key not in self._seen:
            self._seen[key] = SeenIds(self._tape, like, scale)
        return self._seen[key]

    def _find_length(self, seen: SeenIds, given: Array, following: Array) -> AlikeWindows | None:
        """The windows of the length of which most of these pairs are on the tape; None where too few are of any."""
        there = int(np.count_nonzero(np.isin(given, seen.before)))
        best, most = None, max(BELONGS * there, 1)
        for form in _list_forms(self.through) if there >= FEWEST else ():
            together = sum(len(own) > 0 for own in self._list_windows(seen, *form).find(given, following))
            if together > most or (together == most and best is None):
                best, most = self._list_windows(seen, *form), together
            if together == there:
                break
        return best

    def _list_windows(self, seen: SeenIds, steps: int, through: bool) -> AlikeWindows:
        if (seen, steps, through) not in self._windows:
            self._windows[seen, steps, through] = AlikeWindows(self._tape, seen, steps, through=through)
        return self._windows[seen, steps, through]

    def _pick(self, windows: AlikeWindows, rows: Array, action: int) -> int:
        """One of the rows with this action, drawn at random, where the windows that begin there are alike."""
        own = rows[self._actions[rows] == action]
        return int(self._random.choice(own)) if windows.are_alike(own) else UNMATCHED


def _view_rows(table: Array) -> Array:
    """The rows of a table as single items."""
    flat = np.ascontiguousarray(table.reshape(len(table), -1))
    return flat.view(np.dtype((np.void, flat.dtype.itemsize * flat.shape[1]))).ravel()


def _list_forms(through: bool) -> Iterator[tuple[int, bool]]:
    """The windows that are tried: their steps, and whether they run through ends of episodes; perhaps these alone."""
    yield from ((steps, False) for steps in range(1, MOST_STEPS + 1) if not through)
    yield from ((steps, True) for steps in range(2, MOST_STEPS + 1))
