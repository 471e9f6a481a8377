"""What a script logged while it was trained on one rung: in the folder that it was given, on the console, or nearby."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from weaklink.errors import WeaklinkError
from weaklink.evidence.run import Run
from weaklink.evidence.series import Series
from weaklink.readers import read_all, read_text

ABOUT_VALUES = (
    "value.loss",
    "value.q_loss",
    "value.mean",
    "value.q_mean",
    "value.explained_variance",
)
MOST_RUNS, MOST_FILES, MOST_ENTRIES, DEEPEST = 12, 24, 20_000, 6
LARGEST_FILE = 64_000_000
LONGEST_SEARCH = 2.0
SKIPPED = frozenset(("node_modules", "__pycache__", "site-packages"))
NO_LOGS = frozenset((".py", ".pyc", ".pt", ".pth", ".pkl", ".zip", ".safetensors", ".png", ".mp4", ".so", ".rows"))


class Logs(NamedTuple):
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


class Where(NamedTuple):
    """Where to look: the folder given, if one was; else what was printed, and files here that are newer than `since`.

    `mark` and `seed` are looked for in paths when several trainings ran at once.
    """

    out: Path | None
    printed: str
    here: Path
    since: float
    mark: str
    seed: int
    alone: bool


def logs(where: Where) -> Logs:
    """What was logged, from the place that tells most surely that it belongs to this training."""
    if where.out is not None:
        given = Logs(tuple(_read(where.out)))
        if given.tell_of_values:
            return given
    printed = Logs(tuple(_printed(where.printed)))
    if printed.tell_of_values or where.out is not None:
        return printed
    files = _changed(where.here, where.since)
    ours = files if where.alone else _marked(files, where)
    if files and not ours:
        return Logs(printed.runs, "logs of trainings that ran at once cannot be told apart: put {out} in the command")
    return Logs((*(run for file in ours for run in _read(file)), *printed.runs))


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


def _printed(text: str) -> Iterator[Run]:
    try:
        yield read_text(text, "what was printed")
    except WeaklinkError:
        return


def _changed(folder: Path, since: float) -> list[Path]:
    """Files below a folder that may be logs and were written since; the latest few, found within a short time."""
    found: list[tuple[float, Path]] = []
    waiting, seen, deadline = [(folder, 0)], 0, time.monotonic() + LONGEST_SEARCH
    while waiting and seen < MOST_ENTRIES and time.monotonic() < deadline:
        place, depth = waiting.pop(0)
        for entry in _entries(place):
            seen += 1
            if entry.name.startswith(".") or entry.name in SKIPPED:
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    waiting.append((Path(entry.path), depth + 1))
            elif (written := _written(entry)) >= since:
                found.append((written, Path(entry.path)))
    return [file for _, file in sorted(found, reverse=True)[:MOST_FILES]]


def _entries(place: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(place) as entries:
            found = list(entries)
    except OSError:
        return []
    return [] if any(entry.name == "pyvenv.cfg" for entry in found) else found


def _written(entry: os.DirEntry[str]) -> float:
    """When a file was last written; never, for one that is no log."""
    if os.path.splitext(entry.name)[1].lower() in NO_LOGS:
        return 0.0
    try:
        told = entry.stat(follow_symlinks=False)
    except OSError:
        return 0.0
    return told.st_mtime if entry.is_file(follow_symlinks=False) and 0 < told.st_size < LARGEST_FILE else 0.0


def _marked(files: list[Path], where: Where) -> list[Path]:
    """Of several trainings' files those with the environment and the seed in their path, if they lie together."""
    seed = re.compile(rf"(?<!\d){where.seed}(?!\d)")
    ours = []
    for file in files:
        path = str(file.relative_to(where.here))
        if where.mark in path and seed.search(path.replace(where.mark, "")):
            ours.append(file)
    return ours if len({file.parent for file in ours}) == 1 else []
