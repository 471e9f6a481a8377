"""Tables of plain numbers read many cells at once, by arithmetic on their bytes.

A cell such as -12.5 is a whole number, 125, over a power of ten. With at most eight digits both are exact floats, so
that one division rounds to the very float that Python reads (Clinger, How to read floating point numbers accurately,
1990). Every other cell is read by Python itself, or by msgspec where they are many.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array

NEWLINE, MINUS, DOT, ZERO = b"\n"[0], b"-"[0], b"."[0], b"0"[0]
WORD = 8
PADDING = 2 * WORD
MOST_HARD = 0.2
"""Where more of the cells are no plain numbers, they are read one after the other, but not by Python."""

LONG = 14
"""Cells that are longer than this on average have too many digits to be read at once."""

LONGEST_CELL = 400
_NUMBERS = msgspec.json.Decoder(list[float])
_ZEROS, _ABOVE_NINE, _HIGH_BITS = (np.uint64(byte * 0x0101010101010101) for byte in (0x30, 0x76, 0x80))
_PAIRS, _FOURS, _EIGHT = np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF), np.uint64(0xFFFFFFFF)


def _make_length_table(short: Sequence[float], long: float, kind: type) -> NDArray[Any]:
    """A table with an entry for each length that a cell can have."""
    return np.array([*short, *[long] * (LONGEST_CELL + 2 - len(short))], dtype=kind)


KEPT = _make_length_table([8 * (WORD - count) for count in range(WORD + 1)], 0, np.uint64)
"""By the digits of a cell, how far eight characters are shifted so that only so many of them are left."""

SPLIT = _make_length_table([0, *(8 * (WORD - decimals) for decimals in range(WORD + 1))], 0, np.uint64)
"""By how far the point stands from the end, how far so that only those after it are left; 0 where there is none."""

TENS = [1.0, *(10.0**decimals for decimals in range(WORD + 1))]
DIVISORS = np.concatenate([_make_length_table([sign * ten for ten in TENS], sign, np.float64) for sign in (1.0, -1.0)])
"""By how far the point stands from the end, the power of ten to divide by; after them the same with a minus."""

Flags = NDArray[np.bool_]


class NumberCells(NamedTuple):
    """Rows of numbers; `missing` says which cells were empty, None where none was."""

    values: Array
    missing: Flags | None = None


def parse_cells(block: bytes, delimiter: str, columns: int) -> NumberCells | None:
    """The cells of whole lines, each as long as `columns`; None where anything else than numbers stands in them.

    What comes back is what Python's `float` makes of each cell, bit for bit.
    """
    text = block.replace(b"\r\n", b"\n") if b"\r" in block else block
    if not text or b"\r" in text or b'"' in text or not text.endswith(b"\n"):
        return None
    found = _find_bounds(b"\0" * PADDING + text, ord(delimiter), columns)
    return None if found is None else _read(found, columns, delimiter)


class _CellBounds(NamedTuple):
    """Where each cell of a text begins and ends, and how far from its end its point stands: 0 where it has none."""

    text: bytes
    raw: NDArray[np.uint8]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    points: NDArray[np.intp]


def _find_bounds(text: bytes, delimiter: int, columns: int) -> _CellBounds | None:
    raw = np.frombuffer(text, dtype=np.uint8)
    newlines, dots = raw == NEWLINE, raw == DOT
    marks = np.flatnonzero(newlines | dots | (raw == delimiter))
    is_point = dots[marks]
    places = np.flatnonzero(~is_point)
    ends = marks[places]
    rows, beyond = divmod(len(ends), columns)
    if beyond or np.count_nonzero(newlines) != rows or not newlines[ends[columns - 1 :: columns]].all():
        return None
    starts = np.empty_like(ends)
    starts[0] = PADDING
    np.add(ends[:-1], 1, out=starts[1:])
    if (ends - starts).max() > LONGEST_CELL:
        return None
    places -= 1  # the mark before the end of a cell: its point, where it has one
    pointed = is_point[places]
    pointed[0] &= places[0] >= 0
    if np.count_nonzero(pointed) != len(marks) - len(ends):
        return None
    return _CellBounds(text, raw, starts, ends, (ends - marks[places]) * pointed)


def _read(found: _CellBounds, columns: int, delimiter: str) -> NumberCells | None:
    if len(found.text) > LONG * len(found.ends):
        in_turn = _parse_one_by_one(found.text[PADDING:], delimiter, columns)
        if in_turn is not None:
            return in_turn
    values, easy = _parse_plain_cells(found)
    hard = np.flatnonzero(~easy)
    if not len(hard):
        return NumberCells(values.reshape(-1, columns))
    empty = found.starts[hard] == found.ends[hard]
    rest = hard[~empty]
    if len(rest) > MOST_HARD * len(values) and not empty.any():
        in_turn = _parse_one_by_one(found.text[PADDING:], delimiter, columns)
        if in_turn is not None:
            return in_turn
    try:
        values[rest] = [float(found.text[found.starts[place] : found.ends[place]]) for place in rest.tolist()]
    except ValueError:
        return None
    if not empty.any():
        return NumberCells(values.reshape(-1, columns))
    missing = np.zeros(len(values), dtype=bool)
    missing[hard[empty]] = True
    return NumberCells(values.reshape(-1, columns), missing.reshape(-1, columns))


def _parse_plain_cells(found: _CellBounds) -> tuple[Array, Flags]:
    """Every cell as if it were a sign and at most eight digits with a point among them, and whether it is."""
    raw, starts, ends, points = found.raw, found.starts, found.ends, found.points
    negative = raw[starts] == MINUS
    digits = ends - starts
    digits -= negative
    digits -= points > 0
    easy = (digits <= WORD) & (digits > 0)
    nine = np.flatnonzero(digits == WORD + 1)
    easy[nine] = (raw[starts[nine] + negative[nine]] == ZERO) & (points[nine] == WORD + 1)  # its 0 need not be read
    last = np.ndarray((len(raw) - WORD + 1,), "<u8", found.text, strides=(1,))[ends - WORD]
    before = (last << np.uint64(8)) | raw[ends - WORD - 1]  # the eight characters that end one earlier
    shift = SPLIT[points]
    words = before ^ (((before ^ last) >> shift) << shift)
    shift = KEPT[digits]
    number, good = _parse_digits(((words ^ _ZEROS) >> shift) << shift)
    easy &= good
    return number / DIVISORS[points + len(DIVISORS) // 2 * negative], easy


def _parse_digits(digits: NDArray[np.uint64]) -> tuple[Array, Flags]:
    """The number that eight digits make, the first of them in the lowest byte, and whether each is one."""
    good = (((digits + _ABOVE_NINE) | digits) & _HIGH_BITS) == 0
    digits = digits * np.uint64(10) + (digits >> np.uint64(8))
    digits = (digits & _PAIRS) * np.uint64(100) + ((digits >> np.uint64(16)) & _PAIRS)
    digits = (digits & _FOURS) * np.uint64(10_000) + ((digits >> np.uint64(32)) & _FOURS)
    return (digits & _EIGHT).astype(np.float64), good


def _parse_one_by_one(text: bytes, delimiter: str, columns: int) -> NumberCells | None:
    """Cells with many digits or exponents one after the other, where they are all numbers as JSON writes them."""
    if delimiter != ",":
        if b"," in text:
            return None
        text = text.replace(delimiter.encode(), b",")
    listed = text.replace(b"\n", b",")
    if b"-0," in listed:  # a whole number without a sign, to JSON
        return None
    try:
        values = _NUMBERS.decode(b"[" + listed[:-1] + b"]")
    except (msgspec.DecodeError, RecursionError):
        return None
    array = np.fromiter(values, np.float64, len(values))
    return NumberCells(array.reshape(-1, columns)) if len(values) % columns == 0 else None
