"""Files of any size and any bytes: their first bytes, their lines, their names in print."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from weaklink.base.errors import ReadError
from weaklink.base.limits import LONGEST_LINE
from weaklink.base.patterns import compile_late

HEAD = 1 << 16
OPENING = 1 << 18
LARGE = 1 << 20
_HALF_CHARACTERS = compile_late("[\ud800-\udfff]")


def is_file(path: Path) -> bool:
    """Whether this is a regular file that can be reached; never raises."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def read_head(path: Path, size: int = HEAD) -> bytes:
    """The first bytes of a regular file; none for what cannot be opened or is no file."""
    if not is_file(path):
        return b""
    try:
        with path.open("rb") as file:
            return file.read(size)
    except OSError:
        return b""


def decode_text(content: bytes) -> str:
    """Bytes as text, by their byte order mark or else as UTF-8; what cannot be decoded is marked, not refused."""
    return content.decode(detect_encoding(content), errors="replace")


def detect_encoding(content: bytes) -> str:
    """The encoding that the first bytes announce: shells on Windows redirect into UTF-16."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-8-sig"


class TextSource:
    """Text to be read: a file of any size and any bytes, from the byte `start` on, or what somebody pasted."""

    def __init__(self, path: Path | None = None, *, content: str = "", name: str = "", start: int = 0) -> None:
        self.path = path
        self.start = start
        self.name = name or (path.name if path is not None else "text")
        self._content = content

    @property
    def opening(self) -> str:
        """As much of its start as is needed to see what it is."""
        return self._content[:OPENING] if self.path is None else decode_text(read_head(self.path, OPENING))

    @property
    def is_large(self) -> bool:
        """Whether it is a file of UTF-8 that is long enough to be worth reading in blocks of bytes."""
        if self.path is None or detect_encoding(read_head(self.path, 4)) == "utf-16":
            return False
        try:
            return self.path.stat().st_size - self.start >= LARGE
        except OSError:
            return False

    def lines(self, ended: Callable[[int], None] = lambda place: None) -> TextLines:
        """Its lines; `ended` is told the place in the file behind the last whole one, once all of them were given."""
        return TextLines(self, ended)

    def chunks(self, size: int = 1 << 18) -> Iterator[str]:
        """The text piece by piece."""
        with self.opened() as file:
            while chunk := file.read(size):
                yield chunk

    @contextmanager
    def opened(self) -> Iterator[TextIO]:
        """The text as an open file; what the system refuses to give becomes a ReadError."""
        if self.path is None:
            yield io.StringIO(self._content, newline="\n")
            return
        try:
            encoding = "utf-8" if self.start else detect_encoding(read_head(self.path, 4))
            with self.path.open(encoding=encoding, errors="replace", newline="\n") as file:
                file.seek(self.start)
                yield file
        except OSError as error:
            raise make_read_error(self.path, error) from error


class TextLines:
    """The lines of a text, line ends included, in bounded memory.

    After the last one `whole` tells whether it was ended, and `overlong` how many lines were passed over because
    no log line is that long.
    """

    def __init__(self, text: TextSource, ended: Callable[[int], None] = lambda place: None) -> None:
        self.text = text
        self.whole = True
        self.overlong = 0
        self._ended = ended

    def __iter__(self) -> Iterator[str]:
        place = self._find_start()
        with self.text.opened() as file:
            while line := file.readline(LONGEST_LINE):
                self.whole = line.endswith("\n")
                if place is not None and not self.whole:
                    self._ended(place)
                    place = None
                place = _move_on(place, line)
                if len(line) < LONGEST_LINE or self.whole:
                    yield line
                    continue
                self.overlong += 1
                while (rest := file.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                    pass
        if place is not None:
            self._ended(place)

    def _find_start(self) -> int | None:
        """The byte that the first line begins at; None where bytes cannot be counted."""
        if self.text.path is None or self.text.start:
            return self.text.start if self.text.path is not None else None
        head = read_head(self.text.path, 4)
        if detect_encoding(head) == "utf-16":
            return None
        return len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0

    @property
    def remarks(self) -> list[str]:
        """What is to be said of the lines that were passed over."""
        return (
            [f"{format_count(self.overlong, 'line')} longer than {LONGEST_LINE} characters left out"]
            if self.overlong
            else []
        )


def _move_on(place: int | None, line: str) -> int | None:
    """The byte behind a line that begins at a place; None where a character of it was no UTF-8."""
    if place is None or "\ufffd" in line:
        return None
    return place + (len(line) if line.isascii() else len(line.encode("utf-8", "replace")))


def make_read_error(path: Path, error: OSError) -> ReadError:
    """The error for a path that the system does not let us read, with its cure."""
    reason = error.strerror or type(error).__name__
    if isinstance(error, PermissionError):
        return ReadError(f"Cannot read {clean(path)}: {reason}. Give yourself read permission (chmod u+r) or copy it.")
    return ReadError(f"Cannot read {clean(path)}: {reason}. Check that it is still there and is whole.")


def clean(path: Path | str) -> str:
    """A path or a text as any terminal or JSON file takes it, whatever bytes it was made of."""
    return _HALF_CHARACTERS.sub("\ufffd", os.fspath(path))


def format_count(number: int, noun: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def make_natural_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key that puts `run_2` before `run_10`."""
    return tuple(
        (0, int(part)) if part.isdecimal() and len(part) < 19 else (1, part) for part in re.split(r"(\d+)", name)
    )
