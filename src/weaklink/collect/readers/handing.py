"""A run that was found as plain data, so that another process can read it, and the files that reading it may open."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from weaklink.base.backports import Self
from weaklink.base.evidence.run import Run
from weaklink.collect.readers import hyperparameters
from weaklink.collect.readers._assembly import assemble_runs
from weaklink.collect.readers._formats import FoundRun, RunFiles
from weaklink.collect.readers._memory import NO_MEMORY, ReadingMemory

__all__ = ["NO_MEMORY", "HandedRun", "ReadingMemory"]

DATABASES = (".db", ".sqlite", ".sqlite3")
"""Beside such a file SQLite keeps what was written last."""


class HandedRun(msgspec.Struct, frozen=True, kw_only=True):
    """The files of one run and the name that it is read under. Paths are bytes, since a name may be any bytes."""

    name: bytes
    folder: bytes
    parts: dict[str, list[bytes]]
    file: bytes = b""
    tagged: dict[bytes, list[bytes]] = {}
    passed_over: list[bytes] = []
    ranks: list[bytes] = []

    @classmethod
    def of(cls, found: FoundRun) -> Self | None:
        """What another process needs to read it; None for a place that cannot be opened."""
        files = found.files
        if files is None:
            return None
        return cls(
            name=os.fsencode(found.read_as),
            folder=os.fsencode(files.folder),
            parts={name: _pack_paths(paths) for name, paths in files.parts.items()},
            file=os.fsencode(files.file) if files.file is not None else b"",
            tagged={os.fsencode(name): _pack_paths(paths) for name, paths in files.tagged.items()},
            passed_over=_pack_paths(files.passed_over),
            ranks=_pack_paths(files.ranks),
        )

    def read(self, memory: ReadingMemory = NO_MEMORY) -> list[Run]:
        """Reads it, as the process that found it would; what grew since is read on from what the memory knows.

        Raises:
            ReadError: it cannot be read.
        """
        return assemble_runs(self._unpack(), os.fsdecode(self.name), memory)

    def list_sources(self) -> list[bytes]:
        """Every file that reading it may open: its logs, and the configurations where they are looked for."""
        listed = [path for paths in (*self.parts.values(), *self.tagged.values(), self.ranks) for path in paths]
        found = [os.fsencode(path) for path in hyperparameters.list_files(Path(os.fsdecode(self.folder)))]
        return sorted({path for one in listed for path in _list_files(one)} | set(found))

    def _unpack(self) -> RunFiles:
        return RunFiles(
            _make_path(self.folder),
            {name: list(map(_make_path, paths)) for name, paths in self.parts.items()},
            _make_path(self.file) if self.file else None,
            {os.fsdecode(name): list(map(_make_path, paths)) for name, paths in self.tagged.items()},
            list(map(_make_path, self.passed_over)),
            list(map(_make_path, self.ranks)),
        )


def _pack_paths(paths: list[Path]) -> list[bytes]:
    return [os.fsencode(path) for path in paths]


def _make_path(packed: bytes) -> Path:
    return Path(os.fsdecode(packed))


def _list_files(path: bytes) -> Iterator[bytes]:
    """The file itself, or all files of a folder; with what a database keeps beside it."""
    if os.path.isdir(path):
        for folder, _, names in os.walk(path):
            yield from (os.path.join(folder, name) for name in names)
        return
    yield path
    beside = path + b"-wal"
    if os.fsdecode(path).lower().endswith(DATABASES) and os.path.exists(beside):
        yield beside
