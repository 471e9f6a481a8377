"""Growing columns, and names for the codes in them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from math import nan
from typing import Any

import numpy as np

from weaklink.base.evidence.samples import Ints
from weaklink.base.evidence.series import Array

BLOCK = 2048
LONGEST_NAME = 160
LONGEST_KNOWN = 400
MOST_NAMES = 4096
_ALL = 1 << 63

Number = float | int | bool | None


def hash_text(text: str) -> int:
    """A number that is the same for the same text, in every process."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


class SampleColumns:
    """Columns that grow row by row; beyond `most` rows, groups are left out by a hash, so that the rest are whole.

    Args:
        numbers: the columns that every row gives a value of, or None.
        codes: the codes that every row gives, -1 where it has none; the first is the group.
        most: how many rows to keep.
        seed: of what is left out.
    """

    def __init__(self, numbers: Sequence[str], codes: Sequence[str], *, most: int, seed: int) -> None:
        self._number_names = numbers
        self._code_names = codes
        self._most = max(int(most), 1)
        self._numbers: dict[str, array[float]] = {}
        self._codes: dict[str, array[int]] = {}
        self._waiting: list[Number] = []
        self._waiting_codes: list[int] = []
        self._lots: array[int] = array("Q")
        self._salt = hash_text(f"thinned by {seed}")
        self._limit = _ALL
        self._seen = 0
        self._stored = 0

    def __len__(self) -> int:
        return len(self._lots)

    def add(
        self,
        numbers: Sequence[Number],
        codes: Sequence[int],
        other_numbers: Mapping[str, float],
        other_codes: Mapping[str, int],
    ) -> None:
        """Adds a row, unless its group is among those that are left out."""
        group = codes[0]
        lot = _mix_bits((self._seen if group < 0 else group) ^ self._salt)
        self._seen += 1
        if lot >= self._limit:
            return
        row = len(self._lots)
        self._lots.append(lot)
        self._waiting += numbers
        self._waiting_codes += codes
        _append_row(self._numbers, other_numbers, row, nan)
        _append_row(self._codes, other_codes, row, -1)
        if row + 1 - self._stored >= BLOCK:
            self._store()
            if len(self) > self._most:
                self._thin()

    def arrays(self) -> tuple[dict[str, Array], dict[str, Ints]]:
        """The columns as arrays, each as long as there are rows."""
        self._store()
        if len(self) > self._most:
            self._thin()
        self._fill()
        numbers = {name: np.frombuffer(column, np.float64) for name, column in self._numbers.items()}
        codes = {name: np.frombuffer(column, np.int64) for name, column in self._codes.items()}
        return numbers, codes

    def notes(self) -> list[str]:
        """What was left out."""
        if self._limit == _ALL:
            return []
        return [
            f"{self._seen:,} rows are more than are kept: whole groups were left out at random, and "
            f"{len(self):,} rows are judged"
        ]

    def _store(self) -> None:
        """Moves the rows that wait into their columns; one that no row of theirs speaks of is not made."""
        rows = len(self) - self._stored
        if not rows:
            return
        numbers = np.array(self._waiting, np.float64).reshape(rows, -1)
        codes = np.array(self._waiting_codes, np.int64).reshape(rows, -1)
        for name, column in zip(self._number_names, numbers.T, strict=True):
            if not np.isnan(column).all():
                _fill_column(self._numbers, name, self._stored, nan).frombytes(column.tobytes())
        for name, coded in zip(self._code_names, codes.T, strict=True):
            if (coded >= 0).any():
                _fill_column(self._codes, name, self._stored, -1).frombytes(coded.tobytes())
        self._waiting.clear()
        self._waiting_codes.clear()
        self._stored += rows

    def _thin(self) -> None:
        """Leaves half of the groups out, and again until there is room; a lone group larger than that is kept."""
        self._fill()
        lots = np.frombuffer(self._lots, np.uint64)
        while (kept := lots < self._limit).sum() > self._most and self._limit > 1:
            self._limit //= 2
        self._lots = array("Q", lots[kept].tobytes())
        for name, column in self._numbers.items():
            self._numbers[name] = array("d", np.frombuffer(column, np.float64)[kept].tobytes())
        for name, coded in self._codes.items():
            self._codes[name] = array("q", np.frombuffer(coded, np.int64)[kept].tobytes())
        self._stored = len(self)

    def _fill(self) -> None:
        rows = len(self)
        for name in self._numbers:
            _fill_column(self._numbers, name, rows, nan)
        for name in self._codes:
            _fill_column(self._codes, name, rows, -1)


class CodeNames:
    """What the codes stand for; of more than can be kept, those that come most often stay."""

    def __init__(self, most: int = MOST_NAMES) -> None:
        self._most = most
        self._known: dict[str, dict[str, list[int]]] = {}

    def code(self, column: str, text: str) -> int:
        """The code of a text, whose beginning is remembered as its name."""
        if len(text) > LONGEST_KNOWN:
            code = hash_text(text)
            text = f"{text[:LONGEST_NAME]}\0{code}"
        else:
            code = -1
        known = self._known.get(column)
        if known is None:
            known = self._known[column] = {}
        entry = known.get(text)
        if entry is not None:
            entry[1] += 1
            return entry[0]
        if len(known) >= 2 * self._most:
            self._forget(known)
        if code < 0:
            code = hash_text(text)
        known[text] = [code, 1]
        return code

    def kept(self) -> dict[str, dict[int, str]]:
        """The names by column and code."""
        return {
            column: {code: text.partition("\0")[0][:LONGEST_NAME] for text, (code, _) in known.items()}
            for column, known in self._known.items()
        }

    def _forget(self, known: dict[str, list[int]]) -> None:
        common = sorted(known, key=lambda text: -known[text][1])[: self._most]
        kept = {text: known[text] for text in common}
        known.clear()
        known.update(kept)


def _append_row(columns: dict[str, array[Any]], values: Mapping[str, float], row: int, missing: float) -> None:
    """Appends what a row says to its columns, which are filled up to that row."""
    for name, value in values.items():
        column = columns.get(name)
        if column is None or len(column) < row:  # most columns are full already, and need no call
            column = _fill_column(columns, name, row, missing)
        column.append(value)


def _fill_column(columns: dict[str, array[Any]], name: str, row: int, missing: float) -> array[Any]:
    """The column of this name, filled up to a row."""
    column = columns.get(name)
    if column is None:
        column = columns[name] = array("d" if missing != missing else "q")
    if row > len(column):
        column.extend([missing] * (row - len(column)))
    return column


def _mix_bits(code: int) -> int:
    """Scatters codes evenly over 63 bits (the finaliser of splitmix64), so that a share of them is a random share."""
    code = (code ^ code >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    code = (code ^ code >> 27) * 0x94D049BB133111EB & 0xFFFFFFFFFFFFFFFF
    return (code ^ code >> 31) >> 1
