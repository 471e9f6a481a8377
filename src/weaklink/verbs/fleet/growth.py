"""What was read of runs that still grow, kept in files so that the next time only what was added is read."""

from __future__ import annotations

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import TypeVar

import msgspec

from weaklink.collect.readers.freezing import CannotFreeze, freeze, thaw
from weaklink.collect.readers.handing import HandedRun
from weaklink.verbs.fleet.sources import FileDigests

ALIVE = 3600.0
"""Seconds since the last change of a file within which it is taken to grow on: trainers log every few minutes."""
SMALLEST = 1 << 16
"""Bytes of a file below which reading it whole costs less than keeping it."""
MOST_KEPT = 1 << 30
"""Bytes that are kept of one fleet, those that grew last first."""
LONGEST_KEPT = 7 * 86400.0
"""Seconds after which a run that did not grow is forgotten."""
SUFFIX = ".reading"

Made = TypeVar("Made")


class GrowthPlace(msgspec.Struct, frozen=True):
    """The folder that readings are kept in, and the weaklink that made them: no other one takes them."""

    folder: str
    program: bytes


class _FileReading(msgspec.Struct, frozen=True, array_like=True):
    """What was made of the first bytes of a file: how many they are, their digest, and the frozen reading."""

    place: int
    digest: bytes
    reading: bytes


class _RunReadings(msgspec.Struct, frozen=True, array_like=True):
    program: bytes
    files: dict[bytes, _FileReading]


class GrowthMemory:
    """The readings of one run. Whatever is in doubt is read from its start: a file that does not begin as it did,
    another weaklink, something that cannot be kept."""

    def __init__(self, place: GrowthPlace, handed: HandedRun, digests: FileDigests) -> None:
        named = os.path.abspath(handed.file or handed.folder) + b"\0" + handed.name
        self._file = Path(place.folder, hashlib.blake2b(named, digest_size=16).hexdigest() + SUFFIX)
        self._program, self._digests = place.program, digests
        self._known = self._load()
        self._fresh: dict[bytes, _FileReading] = {}

    def _load(self) -> dict[bytes, _FileReading]:
        try:
            found = msgspec.msgpack.decode(self._file.read_bytes(), type=_RunReadings)
        except (OSError, msgspec.MsgspecError):
            return {}
        return found.files if found.program == self._program else {}

    def recall(self, path: Path, kind: type[Made]) -> tuple[int, Made] | None:
        """What was kept of a file, where it begins with the very bytes that were read."""
        packed = os.fsencode(path)
        known = self._known.get(packed)
        try:
            if known is None or self._digests.find(packed, known.place) != known.digest:
                return None
            made = thaw(known.reading)
        except (OSError, ValueError):
            return None
        return (known.place, made) if isinstance(made, kind) else None

    def keep(self, path: Path, place: int, made: object) -> None:
        """Keeps what was made of a file that is large enough, and still grows."""
        packed = os.fsencode(path)
        try:
            if place < SMALLEST or time.time() - os.stat(packed).st_mtime > ALIVE:
                return
            self._fresh[packed] = _FileReading(place, self._digests.find(packed, place), freeze(made))
        except (OSError, CannotFreeze):
            self._fresh.pop(packed, None)

    def save(self) -> None:
        """Writes what is to be known the next time; a full disk costs the next time, and nothing now."""
        if not self._fresh:
            return
        beside = self._file.with_suffix(f".{os.getpid()}.new")
        with contextlib.suppress(OSError):
            self._file.parent.mkdir(exist_ok=True)
            beside.write_bytes(msgspec.msgpack.encode(_RunReadings(self._program, self._fresh)))
            beside.replace(self._file)


def forget_readings(folder: Path) -> None:
    """Removes readings of runs that do not grow any more, and the oldest where there are too many."""
    found = []
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            state = entry.stat()
            found.append((state.st_mtime, state.st_size, entry.path))
    now, total = time.time(), 0
    for changed, size, path in sorted(found, reverse=True):
        total += size
        if total > MOST_KEPT or now - changed > LONGEST_KEPT:
            with contextlib.suppress(OSError):
                os.unlink(path)
