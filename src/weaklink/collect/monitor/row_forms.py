"""The forms in which observations of the tape come back to a network: byte for byte, or with a scale of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, Tape

FEWEST_FOR_SCALE = 16
"""Rows from which the scale and offset of every column are fitted."""

CLOSE = 1e-4
"""How far a normalised column may lie from the fitted one, as a share of its spread: single precision, and statistics
that moved on during the update."""

EXACT = 1e-5
"""The same where the scale and the offset are known: single precision alone."""


class RowForm:
    """One form in which the observations of the tape may come back."""

    def find(self, inputs: Array) -> Array:
        """The row of each input."""
        raise NotImplementedError


class ExactRows(RowForm):
    """Rows that come back byte for byte, once cast to the type of the input; doubted ones only by their order."""

    def __init__(
        self,
        values: Array,
        rows: Array,
        like: Array,
        columns: slice = slice(None),
        doubted: Array | None = None,
        members: int = 1,
    ) -> None:
        self._columns, self._members = columns, members
        self._values, self._rows = np.ascontiguousarray(values.astype(like.dtype)) + 0, rows
        self._places: dict[bytes, int] = {}
        sure = rows if doubted is None else np.where(doubted, UNMATCHED, rows)
        for row, value in zip(sure.tolist(), self._values, strict=True):
            key = value.tobytes()
            if self._places.setdefault(key, row) != row:
                self._places[key] = UNMATCHED

    def find(self, inputs: Array) -> Array:
        """The row of each input; all of them by their order where they are those of the tape, one after the other."""
        wanted = np.ascontiguousarray(inputs[:, self._columns]) + 0  # so that -0.0 and 0.0 are one number
        if wanted.shape == self._values.shape:
            for order in self._list_orders():
                if np.array_equal(wanted, self._values[order]):
                    return self._rows[order]
        return np.array([self._places.get(value.tobytes(), UNMATCHED) for value in wanted])

    def _list_orders(self) -> Iterator[Array]:
        """The orders in which a whole rollout may come back: as it is kept, and member by member."""
        yield np.arange(len(self._rows))
        if self._members > 1:
            yield np.lexsort((self._rows, self._rows % self._members))


class ScaledRows(RowForm):
    """Rows whose columns come back with a scale and an offset of their own, as a running normaliser leaves them."""

    def __init__(
        self, values: Array, rows: Array, spread: Array, close: float = CLOSE, columns: tuple[int, ...] = ()
    ) -> None:
        self._values, self._rows, self._spread, self._close = values, rows, np.maximum(spread, 1e-12), close
        self._columns = list(columns) or slice(None)
        self._weights = np.random.default_rng(0).normal(size=values.shape[1]) / self._spread
        marks = values @ self._weights
        self._order = np.argsort(marks)
        self._marks = marks[self._order]

    def find(self, inputs: Array) -> Array:
        """The one row that every column is close to."""
        wanted = inputs[:, self._columns].astype(np.float64)
        marks = wanted @ self._weights
        reach = self._close * np.sqrt(len(self._weights)) * 4.0
        starts = np.searchsorted(self._marks, marks - reach)
        ends = np.searchsorted(self._marks, marks + reach)
        counts, close = ends - starts, self._close * self._spread
        found, hits = np.full(len(wanted), UNMATCHED), np.zeros(len(wanted), np.int64)
        for turn in range(int(counts.max(initial=0))):
            there = np.flatnonzero(counts > turn)
            near = self._order[starts[there] + turn]
            fits = (np.abs(self._values[near] - wanted[there]) < close).all(axis=1)
            hits[there] += fits
            found[there[fits]] = self._rows[near[fits]]
        return np.where(hits == 1, found, UNMATCHED)


def settle_repeats(given: Array, rows: Array, tape: Tape) -> Array:
    """The rows that networks were asked about; what comes byte for byte once more after the step is still that step's.

    So it is with a critic that is asked only then. Where the observation of the next step is the same, nobody knows.
    """
    first: dict[bytes, int] = {}
    settled = rows.copy()
    for place, (row, value) in enumerate(zip(rows.tolist(), np.ascontiguousarray(given), strict=True)):
        before = first.setdefault(value.tobytes(), row)
        if row == before + tape.members and not np.array_equal(tape.observations[row], tape.observations[before]):
            settled[place] = before
    return settled


def drop_repeats(given: Array, rows: Array) -> tuple[Array, Array]:
    """What was asked about rows, each row once and in their order, where several networks were given the same."""
    names, first, places = np.unique(rows, return_index=True, return_inverse=True)
    if not np.array_equal(given, given[first][places]):
        return given, rows
    return given[first], names


def fit_scale(
    asked: Sequence[tuple[Array, Array]], observations: Array, seen: Array, rows: Array
) -> Iterator[ScaledRows]:
    """Every column's scale and offset, from what the network was asked last while collecting."""
    given = np.concatenate([each for each, _ in asked]).astype(np.float64)
    real = observations[np.concatenate([each for _, each in asked])].astype(np.float64)
    if len(given) < FEWEST_FOR_SCALE:
        return
    recent = slice(-max(FEWEST_FOR_SCALE, len(given) // 4), None)
    centre, spread = real[recent].mean(axis=0), real[recent].std(axis=0)
    moving = spread > 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.mean((real[recent] - centre) * (given[recent] - given[recent].mean(axis=0)), axis=0) / spread**2
    slope = np.where(moving, slope, 0.0)
    made = (seen.astype(np.float64) - centre) * slope + given[recent].mean(axis=0)
    yield ScaledRows(made, rows, np.abs(slope) * spread)
