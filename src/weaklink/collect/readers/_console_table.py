"""Tables that were printed with blanks between their columns: a line of names, and rows of as many numbers below it."""

from __future__ import annotations

import re

from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.raw import RawLog, parse_number

WIDEST = 60
NOTHING = frozenset(("-", "--", "---", "n/a", "N/A", "None", "none"))
"""What is printed where a number is missing."""

_APART = re.compile(r"\s{2,}|\t+|\s*\|\s*")


class PrintedTable:
    """Takes in lines, and files the rows of tables among them. A single row is none: it may be anything.

    Words between the rows of a table that happen to be as many as its columns do not rename them.
    """

    def __init__(self, log: RawLog) -> None:
        self._rows = LogRows(log)
        self._heads: list[tuple[str, ...]] = []
        self._names: tuple[str, ...] = ()
        self._first: dict[str, float] | None = None

    def take(self, line: str) -> bool:
        """Whether a line belongs to a table; a line of words may be the names of one."""
        cells = line.replace("|", " ").split()
        if len(cells) > WIDEST:
            return False
        numbers = [None if cell in NOTHING else parse_number(cell) for cell in cells]
        told = [number for number in numbers if number is not None]
        if len(told) + sum(cell in NOTHING for cell in cells) < len(cells) or not told:
            self._look_for_names(line, cells)
            return False
        names = next((names for names in (self._names, *self._heads) if len(names) == len(cells)), ())
        if len(names) < 2:
            return False
        self._add(names, {name: number for name, number in zip(names, numbers, strict=True) if number is not None})
        return True

    def flush(self) -> None:
        """Files what still waits."""
        self._rows.flush()

    def _look_for_names(self, line: str, words: list[str]) -> None:
        """Notes in which ways a line may be read as names: columns may have names of several words."""
        ways = (tuple(_APART.split(line.strip(" |"))), tuple(words))
        heads = [names for names in dict.fromkeys(ways) if len(names) > 1 and _are_names(names)]
        if heads:
            self._heads = heads
            if self._first is not None:  # what looked like a row stood alone
                self._names, self._first = (), None

    def _add(self, names: tuple[str, ...], row: dict[str, float]) -> None:
        if names != self._names or self._first is not None:
            first, self._first = (self._first, None) if names == self._names else (None, row)
            self._names = names
            if first is None:
                return
            self._rows.add(first)
        self._rows.add(row)


def _are_names(cells: tuple[str, ...]) -> bool:
    worded = all(cell and parse_number(cell) is None and any(map(str.isalpha, cell)) for cell in cells)
    return worded and len(set(cells)) == len(cells)
