"""What a file from a stranger may ask for: every reader holds these limits, so that none hangs or takes the memory.

A file is read as far as it keeps to them. What lies beyond is left out, and the notes of the report say so; where
nothing can be read without going beyond, `TooLarge` says which limit it was. Time has no number of its own: every
reader does a bounded amount of work for each byte, and what could wait for ever (a database) gives up after `STALLED`.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import IO, Any

from weaklink.base.errors import TooLarge

LONGEST_LINE = 1 << 24
"""Bytes of one line of a log, one record, one cell. Decoded JSON takes up to 30 times the memory of its text."""

LONGEST_VALUE = 1 << 25
"""Bytes of one sample, or of any JSON value that stands among others: trajectories hold whole files."""

MOST_UNPACKED = 1 << 28
"""Bytes that one part of a packed or converted file may take in memory: 32 million numbers as they are judged."""

MOST_PASTED = 1 << 28
"""Bytes of standard input, which has to be held whole to be recognised."""

RATIO = 200
"""What grows by more than this beyond `MOST_UNPACKED` is no data: gzip packs logs 5- to 50-fold, zeros 1,032-fold."""

LARGEST_DIRECTORY = 1 << 22
"""Bytes of the table of contents of a zip archive: at 50 to 100 bytes a name, over 40,000 files."""

LARGEST_CONFIG = 1 << 22
"""Bytes of a configuration file; those of real projects have some kilobytes."""

MOST_KEYS, LONGEST_KEY = 20_000, 200
"""Metrics of one run, and characters of a name; the largest real logs have some thousands of keys."""

MOST_SETTINGS, LONGEST_SETTING = 10_000, 100_000
"""Hyper-parameters of one run, and characters of one that is text."""

DEEPEST = 16
"""Mappings inside of mappings that are kept of a row, a configuration or a context."""

DEEPEST_TEXT = 60
"""Brackets inside of brackets that a text may have to be read at all."""

LARGEST_INTEGER = 1 << 64
"""Larger whole numbers are floats: rules count in floats, and Python writes no integer of over 4,300 digits."""

LARGEST_STEP = float(1 << 63)
"""No counter of a trainer, and no clock in nanoseconds, goes beyond 64 bits."""

STALLED = 30.0
"""Seconds after which a database that gives no further row is given up."""


def check_size(place: str, size: int, most: int, what: str, cure: str) -> None:
    """Raises where a part of a file is larger than it may be.

    Raises:
        TooLarge: it is.
    """
    if size > most:
        raise TooLarge(f"{what} may have {most:,} bytes at most: that of {place} has {size:,}. {cure}")


def find_most_unpacked(packed: int) -> int:
    """Into how many bytes so many packed ones may grow."""
    return max(MOST_UNPACKED, RATIO * packed)


def read_bounded(path: Path, most: int, what: str, cure: str) -> bytes:
    """The content of a file that must be read whole.

    Raises:
        TooLarge: it is larger than it may be.
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
        check_size(str(path), max(len(content), path.stat().st_size), most, what, cure)
    return content


class BoundedLines:
    """The lines of an open file, line ends included; `overlong` counts those that were longer than may be.

    Each line comes with its number, counted from 1. An overlong one comes as None, and the rest of it is passed over.
    """

    def __init__(self, file: IO[bytes], most: int = LONGEST_LINE) -> None:
        self._file = file
        self._most = most
        self.overlong = 0

    def __iter__(self) -> Iterator[tuple[int, bytes | None]]:
        number = 0
        while line := self._file.readline(self._most):
            number += 1
            if len(line) < self._most or line.endswith(b"\n"):
                yield number, line
                continue
            self.overlong += 1
            while (rest := self._file.readline(self._most)) and not rest.endswith(b"\n"):
                pass
            yield number, None


def flatten_bounded(raw: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Nested mappings as `outer.inner` pairs, shallow keys first, within `MOST_SETTINGS` and `DEEPEST`.

    A mapping that holds itself is passed over where it comes again.
    """
    waiting: deque[tuple[str, Mapping[str, Any], tuple[int, ...]]] = deque([("", raw, (id(raw),))])
    given = 0
    while waiting and given < MOST_SETTINGS:
        prefix, mapping, around = waiting.popleft()
        for key, value in islice(mapping.items(), MOST_SETTINGS):
            if not isinstance(value, Mapping):
                given += 1
                yield f"{prefix}{key}"[:LONGEST_KEY], bound_value(value)
            elif id(value) not in around and len(around) < DEEPEST:
                waiting.append((f"{prefix}{key}."[:LONGEST_KEY], value, (*around, id(value))))


def bound_value(value: Any) -> Any:
    """A hyper-parameter as any rule and any view can take it: long text cut, huge integers as floats, depth bounded."""
    if isinstance(value, str):
        return value[:LONGEST_SETTING]
    if isinstance(value, int) and not -LARGEST_INTEGER < value < LARGEST_INTEGER:
        return _make_float(value)
    if isinstance(value, list | tuple) and _exceeds(value, DEEPEST):
        return "[...]"
    return value


def _make_float(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _exceeds(value: object, depth: int) -> bool:
    """Whether lists or mappings lie deeper than may be, or hold a whole number that is too large."""
    if isinstance(value, int):
        return not -LARGEST_INTEGER < value < LARGEST_INTEGER
    if isinstance(value, Mapping):
        value = list(value.values())
    return isinstance(value, list | tuple) and (not depth or any(_exceeds(part, depth - 1) for part in value))


def is_too_deep(value: object) -> bool:
    """Whether decoded JSON has more brackets inside of brackets than `DEEPEST_TEXT`."""
    level: list[object] = [value]
    for _ in range(DEEPEST_TEXT):
        level = [
            part
            for one in level
            if isinstance(one, dict | list)
            for part in (one.values() if isinstance(one, dict) else one)
            if isinstance(part, dict | list)
        ]
        if not level:
            return False
    return True
