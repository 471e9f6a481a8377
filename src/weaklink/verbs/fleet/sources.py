"""Whether the files of a run are what they were: by their state where that is sure, else by their content."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

SETTLED = 2_000_000_000
"""Nanoseconds: some file systems note the time of a change by two seconds, so a later change may have the same time."""
DIGEST = 16
BLOCK = 1 << 20
CODE = (b".py", b".pyc", b".so", b".pyd")
"""What Python itself opens when it imports."""
SYSTEM = (b"/proc/", b"/dev/", b"/sys/")


class FileState(msgspec.Struct, frozen=True, array_like=True):
    """A file as it was `seen`: its size, the time of its last change, its number, and a digest of its content."""

    path: bytes
    size: int
    changed: int
    identity: int
    seen: int
    digest: bytes


class FileDigests:
    """Digests of the first bytes of files: what was gone through for one is not gone through again for another."""

    def __init__(self) -> None:
        self._marks: dict[bytes, list[tuple[int, Any]]] = {}

    def find(self, path: bytes, size: int) -> bytes:
        """The digest of so many bytes, or of all where there are fewer.

        Raises:
            OSError: the file cannot be read.
        """
        marks = self._marks.setdefault(path, [(0, hashlib.sha256())])
        place, passed = next(mark for mark in reversed(marks) if mark[0] <= size)
        found = passed.copy()
        if place == size:
            return _shorten(found)
        with open(path, "rb") as file:
            file.seek(place)
            while place < size and (block := file.read(min(BLOCK, size - place))):
                found.update(block)
                place += len(block)
                if place > marks[-1][0]:
                    marks.append((place, found.copy()))
        return _shorten(found)


def _shorten(found: Any) -> bytes:
    digest: bytes = found.digest()[:DIGEST]
    return digest


def take_state(path: bytes, digests: FileDigests) -> FileState | None:
    """The state of a file now; None where it cannot be read."""
    try:
        state = os.stat(path)
        return FileState(
            path, state.st_size, state.st_mtime_ns, state.st_ino, time.time_ns(), digests.find(path, state.st_size)
        )
    except OSError:
        return None


def take_states(paths: Iterable[bytes], digests: FileDigests) -> tuple[FileState, ...]:
    """The states of those that can be read."""
    return tuple(state for path in paths if (state := take_state(path, digests)) is not None)


def confirm_state(before: FileState) -> FileState | None:
    """The state of a file that holds what it held, None of one that does not.

    Its content is asked only where its state leaves that open; what is then known of it is another state.
    """
    try:
        now = os.stat(before.path)
        if now.st_size != before.size:
            return None
        same = (now.st_mtime_ns, now.st_ino) == (before.changed, before.identity)
        if same and before.changed < before.seen - SETTLED:
            return before
        seen = time.time_ns()
        if digest_file(before.path, before.size) != before.digest:
            return None
        return FileState(before.path, before.size, now.st_mtime_ns, now.st_ino, seen, before.digest)
    except OSError:
        return None


def digest_file(path: bytes, size: int) -> bytes:
    """A digest of the first bytes of a file.

    Raises:
        OSError: it cannot be read.
    """
    return FileDigests().find(path, size)


class _OpenedFiles:
    """Hears of every file that this process opens; hooks of this kind cannot be taken away, so there is one."""

    def __init__(self) -> None:
        self._hooked = False
        self.heard: set[bytes] | None = None

    def hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "open" or self.heard is None or not arguments:
            return
        path = arguments[0]
        if isinstance(path, str | bytes | os.PathLike):
            packed = os.fsencode(path)
            if not packed.endswith(CODE) and not packed.startswith(SYSTEM):
                self.heard.add(packed)

    def start(self) -> set[bytes]:
        if not self._hooked:
            sys.addaudithook(self.hear)
            self._hooked = True
        self.heard = set()
        return self.heard


_opened = _OpenedFiles()


@contextlib.contextmanager
def hear_opened() -> Iterator[set[bytes]]:
    """The files that are opened within, so that none that a reader looks into is forgotten."""
    heard = _opened.start()
    try:
        yield heard
    finally:
        _opened.heard = None
