"""What a script logged while it was trained on one rung: in the folder that it was given, on the console, or nearby."""

from __future__ import annotations

import os
import re
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from weaklink.base.errors import WeaklinkError
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.collect.readers import read_all, read_text

ABOUT_VALUES = (
    "value.loss",
    "value.q_loss",
    "value.mean",
    "value.q_mean",
    "value.explained_variance",
)
FEWEST_ROWS = 3
"""Rows of a log after which its metrics are known: one that is written at each episode, say, holds no others later."""

MOST_RUNS, MOST_FILES, MOST_ENTRIES, DEEPEST = 12, 24, 20_000, 6
LARGEST_FILE = 64_000_000
LONGEST_SEARCH = 2.0
REMEMBERED = 128
"""Bytes of a file's end that are remembered: what is appended to leaves them where they are."""

SETTLING = 0.5
"""Seconds to wait for files that somebody else still writes to."""

CROWDED = "logs of trainings that ran at once cannot be told apart: put {out} in the command"
DOUBTFUL = "files that were written meanwhile may be another training's logs: put {out} in the command"
SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages"))
NO_LOGS = frozenset((".py", ".pyc", ".pt", ".pth", ".pkl", ".zip", ".safetensors", ".png", ".mp4", ".so", ".rows"))


class ScriptLogs(NamedTuple):
    """The runs that were read, and what to say of it."""

    runs: tuple[Run, ...] = ()
    note: str = ""

    def get(self, *names: str) -> Series | None:
        """The first of these metrics that was logged, NaN alone included."""
        found = (run.series[name] for name in names for run in self.runs if name in run.series)
        return next((series for series in found if series.count), None)

    def number(self, name: str) -> float | None:
        """A hyper-parameter."""
        found = (run.config.number(name) for run in self.runs)
        return next((number for number in found if number is not None), None)

    @property
    def tell_of_values(self) -> bool:
        """Whether anything about values was logged."""
        return self.get(*ABOUT_VALUES) is not None

    @property
    def are_soft(self) -> bool:
        """Whether they are of a soft agent: a bonus for entropy is in each value that has a next one in it."""
        return self.get("exploration.temperature") is not None

    @property
    def has_course(self) -> bool:
        """Whether some metric was logged often enough that the others would have been too."""
        return any(len(series) >= FEWEST_ROWS for run in self.runs for series in run.series.values())


class LogPlaces(NamedTuple):
    """Where to look: the folder given, if one was; else what was printed, and files here that are newer than `since`.

    `before` tells files that a training alone has begun from those that others go on writing; None where it is not
    known. `mark` and `seed` are looked for in paths when several trainings ran at once.
    """

    out: Path | None
    printed: str
    here: Path
    since: float
    before: FilesBefore | None
    mark: str
    seed: int
    alone: bool


def find_logs(where: LogPlaces) -> ScriptLogs:
    """What was logged, from the place that tells most surely that it belongs to this training."""
    if where.out is not None:
        given = ScriptLogs(tuple(_read(where.out)))
        if given.tell_of_values:
            return given
    printed = ScriptLogs(tuple(_read_printed(where.printed)))
    if printed.tell_of_values or where.out is not None:
        return printed
    files = _find_changed(where.here, where.since)
    ours = _select_begun(files, where) if where.alone else _select_marked(files, where)
    if files and not ours:
        return ScriptLogs(printed.runs, DOUBTFUL if where.alone else CROWDED)
    return ScriptLogs((*(run for file in ours[:MOST_FILES] for run in _read(file)), *printed.runs))


class FilesBefore:
    """The files below a folder before a training begins: tells those begun since from those that are appended to."""

    def __init__(self, folder: Path) -> None:
        search = _LogSearch(folder)
        self._traces = {file.path: _trace_file(file) for file in search.files()}
        self._whole = search.whole
        self._latest = sorted(self._traces, key=lambda path: self._traces[path].written)[-MOST_FILES:]
        self._shrunk: set[str] = set()

    def look(self) -> None:
        """Notes which of the latest files are emptied just now: begun anew, they may become what they were."""
        self._shrunk.update(path for path in self._latest if _read_size(path) < self._traces[path].size)

    def begun(self, path: str) -> bool:
        """Whether a file is new or was begun anew; never, where there were too many files to know."""
        old = self._traces.get(path)
        if not self._whole or old is None or path in self._shrunk:
            return self._whole
        try:
            told = os.stat(path)
            return told.st_ino != old.inode or told.st_size <= old.size or _read_end(path, old.size) != old.end
        except OSError:
            return False


class _FileTrace(NamedTuple):
    """What a file was."""

    inode: int
    size: int
    written: float
    end: bytes


def _read(path: Path) -> Iterator[Run]:
    """The runs at a path; what cannot be read is passed over."""
    try:
        for count, found in enumerate(read_all(path)):
            if count >= MOST_RUNS:
                return
            if isinstance(found, Run):
                yield found
    except WeaklinkError:
        return


def _read_printed(text: str) -> Iterator[Run]:
    try:
        yield read_text(text, "what was printed")
    except WeaklinkError:
        return


def _find_changed(folder: Path, since: float) -> list[Path]:
    """Files below a folder that may be logs and were written since, the latest first."""
    found = [(_read_write_time(file), Path(file.path)) for file in _LogSearch(folder).files()]
    return [file for written, file in sorted(found, reverse=True) if written >= since]


class _LogSearch:
    """Looks for files that may be logs, within a short time; `whole` says whether it came to its end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.whole = False

    def files(self) -> Iterator[os.DirEntry[str]]:
        """Those nearest to the folder first."""
        waiting, seen, deadline = deque([(self._folder, 0)]), 0, time.monotonic() + LONGEST_SEARCH
        while waiting and seen < MOST_ENTRIES and time.monotonic() < deadline:
            place, depth = waiting.popleft()
            for entry in _list_entries(place):
                seen += 1
                if entry.name.startswith(".") or entry.name in SKIPPED:
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if depth < DEEPEST:
                        waiting.append((Path(entry.path), depth + 1))
                elif entry.is_file(follow_symlinks=False) and _may_be_log(entry.name):
                    yield entry
        self.whole = not waiting


def _list_entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            found = list(entries)
    except OSError:
        return []
    return [] if any(entry.name == "pyvenv.cfg" for entry in found) else found


def _may_be_log(name: str) -> bool:
    return os.path.splitext(name)[1].lower() not in NO_LOGS


def _read_write_time(file: os.DirEntry[str]) -> float:
    """When a file was last written; never, for one that is empty or too large."""
    try:
        told = file.stat(follow_symlinks=False)
    except OSError:
        return 0.0
    return told.st_mtime if 0 < told.st_size < LARGEST_FILE else 0.0


def _trace_file(file: os.DirEntry[str]) -> _FileTrace:
    try:
        told = os.stat(file.path)
        return _FileTrace(told.st_ino, told.st_size, told.st_mtime, _read_end(file.path, told.st_size))
    except OSError:
        return _FileTrace(0, 0, 0.0, b"")


def _read_end(path: str, size: int) -> bytes:
    """What stands before this size."""
    with open(path, "rb") as file:
        file.seek(max(0, size - REMEMBERED))
        return file.read(min(size, REMEMBERED))


def _select_begun(files: list[Path], where: LogPlaces) -> list[Path]:
    """Of the files written while a training ran alone those that it began, or that have its environment in their path.

    What still grows after its end is somebody else's.
    """
    ours = [
        file
        for file in files
        if where.mark in str(file.relative_to(where.here)) or (where.before and where.before.begun(str(file)))
    ]
    sizes = [_read_size(file) for file in ours]
    if ours:
        time.sleep(SETTLING)
    return [file for file, size in zip(ours, sizes, strict=True) if _read_size(file) == size]


def _read_size(file: str | Path) -> int:
    """In bytes; -1 where it is gone."""
    try:
        return os.stat(file).st_size
    except OSError:
        return -1


def _select_marked(files: list[Path], where: LogPlaces) -> list[Path]:
    """Of several trainings' files those with the environment and the seed in their path, if they lie together."""
    seed = re.compile(rf"(?<!\d){where.seed}(?!\d)")
    ours = []
    for file in files:
        path = str(file.relative_to(where.here))
        if where.mark in path and seed.search(path.replace(where.mark, "")):
            ours.append(file)
    return ours if len({file.parent for file in ours}) == 1 else []
