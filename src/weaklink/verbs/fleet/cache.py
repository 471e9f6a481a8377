"""What was judged before, by run: taken again as long as the run's files, the rules and weaklink are what they were."""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from pathlib import Path

import msgspec

from weaklink._version import __version__
from weaklink.verbs.fleet.sources import FileState, confirm_state
from weaklink.verbs.fleet.summary import RunSummary
from weaklink.verbs.fleet.work import FleetJob, FleetReply, FleetStart

FORMAT = 2
PROGRAM = Path(__file__).parents[2]
PAUSE = 0.5
"""Seconds between two writings to the disk: a command that is killed loses no more work than that."""
TABLE = (
    "CREATE TABLE IF NOT EXISTS runs "
    "(place BLOB PRIMARY KEY, program BLOB, handed BLOB, sources BLOB, judged BLOB) WITHOUT ROWID"
)

_pack = msgspec.msgpack.Encoder().encode
_unpack_sources = msgspec.msgpack.Decoder(tuple[FileState, ...]).decode
_unpack_judged = msgspec.msgpack.Decoder(tuple[RunSummary, ...]).decode


class ResultCache:
    """One file of results. A file that is damaged, or of another format, is begun anew: nothing in it is needed.

    Raises:
        OSError: it cannot be written.
    """

    def __init__(self, file: Path, start: FleetStart) -> None:
        self._program = describe_program() if start.growth is None else start.growth.program
        rules = start.settings
        codes = sorted(rules.codes) if rules.codes is not None else None
        self._settings = msgspec.msgpack.encode((codes, sorted(rules.thresholds.items()), sorted(start.names.items())))
        self._written = time.monotonic()
        try:
            self._open(file)
        except sqlite3.DatabaseError:
            file.unlink(missing_ok=True)
            try:
                self._open(file)
            except sqlite3.Error as error:
                raise OSError(str(error)) from error

    def _open(self, file: Path) -> None:
        self._database = sqlite3.connect(file)
        self._database.execute("PRAGMA synchronous = OFF")
        (found,) = self._database.execute("PRAGMA user_version").fetchone()
        if found not in (0, FORMAT):
            self._database.execute("DROP TABLE IF EXISTS runs")
        self._database.execute(f"PRAGMA user_version = {FORMAT}")
        self._database.execute(TABLE)
        self._database.execute("CREATE TABLE IF NOT EXISTS written (name TEXT PRIMARY KEY, digest BLOB) WITHOUT ROWID")
        self._database.execute("DELETE FROM runs WHERE program != ?", (self._program,))
        self._database.commit()

    def find(self, job: FleetJob) -> tuple[RunSummary, ...] | None:
        """What was judged of these files, where nothing has changed since."""
        try:
            row = self._database.execute(
                "SELECT handed, sources, judged FROM runs WHERE place = ?", (self._place(job),)
            ).fetchone()
            if row is None or row[0] != _pack(job.handed):
                return None
            sources = _unpack_sources(row[1])
            if not {state.path for state in sources}.issuperset(job.handed.list_sources()):
                return None
            confirmed = [confirm_state(state) for state in sources]
            if any(state is None for state in confirmed):
                return None
            if any(now is not before for now, before in zip(confirmed, sources, strict=True)):
                self._database.execute(
                    "UPDATE runs SET sources = ? WHERE place = ?", (_pack(confirmed), self._place(job))
                )
            return _unpack_judged(row[2])
        except (sqlite3.Error, msgspec.MsgspecError):
            return None

    def keep(self, job: FleetJob, reply: FleetReply) -> None:
        """Keeps what was judged; what could not be read is tried again each time."""
        if not reply.judged or not all(isinstance(one, RunSummary) for one in reply.judged):
            return
        row = (self._place(job), self._program, _pack(job.handed), _pack(reply.sources), _pack(reply.judged))
        try:
            self._database.execute("INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?)", row)
            if time.monotonic() - self._written > PAUSE:
                self._database.commit()
                self._written = time.monotonic()
        except sqlite3.Error:  # a full disk costs the next time, and nothing now
            return

    def has_written(self, name: str, digest: bytes) -> bool:
        """Whether a file was written with just this content the last time."""
        try:
            row = self._database.execute("SELECT digest FROM written WHERE name = ?", (name,)).fetchone()
        except sqlite3.Error:
            return False
        return row is not None and row[0] == digest

    def note_written(self, name: str, digest: bytes) -> None:
        """Notes what a file was written with."""
        with contextlib.suppress(sqlite3.Error):
            self._database.execute("INSERT OR REPLACE INTO written VALUES (?, ?)", (name, digest))

    def close(self) -> None:
        """Writes what is left."""
        with contextlib.suppress(sqlite3.Error):
            self._database.commit()
        self._database.close()

    def _place(self, job: FleetJob) -> bytes:
        """Where the run lies, and what it is asked."""
        handed = job.handed
        place = os.path.abspath(handed.file or handed.folder)
        return hashlib.blake2b(_pack((place, handed.name, job.name, self._settings)), digest_size=16).digest()


def describe_program() -> bytes:
    """A digest of the installed weaklink: its version, and its files, which change within a version while it is
    worked on."""
    found = hashlib.blake2b(f"{__version__} {FORMAT}".encode(), digest_size=16)
    for path, folders, names in os.walk(PROGRAM):
        folders[:] = sorted(one for one in folders if one not in ("__pycache__", "built"))
        for name in sorted(name for name in names if name.endswith((".py", ".json"))):
            state = os.stat(os.path.join(path, name))
            found.update(f"{name} {state.st_size} {state.st_mtime_ns}\n".encode())
    return found.digest()
