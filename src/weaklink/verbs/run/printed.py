"""What a script prints, line by line, on its way to the terminal or wherever else it goes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

LONGEST = 10_000
"""Characters without an end of line after which they are let go."""


class PrintedLines:
    """Tells of each line that is written to standard output, after it was written."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell, self._begun = tell, ""
        self._write: Callable[[str], Any] | None = None

    def listen(self) -> None:
        """Listens to the standard output of this moment; one that lets nobody do so is left alone."""
        with suppress(AttributeError, TypeError):
            stream, write = sys.stdout, sys.stdout.write
            stream.write = self._hear  # type: ignore[method-assign]
            self._write = write

    def _hear(self, text: str) -> Any:
        written = self._write(text) if self._write is not None else len(text)
        if isinstance(text, str):
            *lines, self._begun = (self._begun + text).split("\n")
            self._begun = self._begun[:LONGEST]
            for line in lines:
                self._tell(line)
        return written
