"""MLflow: its SQLite database (`mlflow.db`) and the run folders of its file store, read without MLflow."""

from __future__ import annotations

import math
import os
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from weaklink.collect.readers._sqlite import Columns, is_database_with, open_database, read_columns, read_rows
from weaklink.collect.readers._trackers import (
    keep_logs_with_numbers,
    make_names_unique,
    parse_finite,
    parse_seconds,
    read_each,
)
from weaklink.collect.readers.raw import RawLog, parse_number

NAME = "MLflow"
LOOKS_FOR = "mlflow.db, or run folders with meta.yaml and metrics/"

TABLES = {
    "metrics": ("key", "value", "step", "run_uuid"),
    "params": ("key", "value", "run_uuid"),
    "runs": ("run_uuid",),
}
CURE = "Log a metric with mlflow.log_metric, or name another run."
LONGEST_LINE = 4096
LONGEST_PARAM = 64 * 1024


def handles(path: Path) -> bool:
    """Whether this is an MLflow database or the folder of one run."""
    try:
        if path.is_dir():
            return (path / "meta.yaml").is_file() and (path / "metrics").is_dir()
        return is_database_with(path, TABLES)
    except (OSError, ValueError):
        return False


def read(paths: Sequence[Path]) -> list[RawLog]:
    """The runs in these databases and run folders; runs that were deleted in MLflow are left out.

    Raises:
        ReadError: none holds a run that can be read.
    """
    return read_each(paths, lambda path: _read_folder(path) if path.is_dir() else _read_database(path))


def _read_database(path: Path) -> list[RawLog]:
    damage: list[str] = []
    with open_database(path, damage) as connection:
        there = read_columns(connection, (*TABLES, "tags"))
        runs = _MlflowRuns(path)
        runs.take_runs(connection, there, damage)
        runs.take_params(connection, there, damage)
        runs.take_metrics(connection, there, damage)
    return keep_logs_with_numbers(runs.logs(), path, CURE, damage)


class _MlflowRuns:
    """The runs of one database by their id; None stands for a deleted one."""

    def __init__(self, path: Path) -> None:
        self._source = str(path)
        self._runs: dict[str, RawLog | None] = {}

    def logs(self) -> list[RawLog]:
        """The runs that hold a number; those that share a name are told apart by their id."""
        return make_names_unique({run: raw for run, raw in self._runs.items() if raw is not None and raw.columns})

    def take_runs(self, connection: sqlite3.Connection, there: Columns, damage: list[str]) -> None:
        wanted = ("run_uuid", "name", "lifecycle_stage")
        for run, name, stage in read_rows(connection, "runs", wanted, there, damage):
            raw = RawLog(name=str(name or run), source=self._source)
            self._runs[str(run)] = None if stage == "deleted" else raw
        wanted = ("run_uuid", "key", "value")
        tags = read_rows(connection, "tags", wanted, there, damage) if "tags" in there else ()
        for run, key, value in tags:
            known = self._runs.get(str(run))
            if key == "mlflow.runName" and value and known is not None:
                known.name = str(value)

    def take_params(self, connection: sqlite3.Connection, there: Columns, damage: list[str]) -> None:
        wanted = ("run_uuid", "key", "value")
        for run, key, value in read_rows(connection, "params", wanted, there, damage):
            raw = self._run(str(run))
            if raw is not None:
                raw.config[str(key)] = value

    def take_metrics(self, connection: sqlite3.Connection, there: Columns, damage: list[str]) -> None:
        wanted = ("run_uuid", "key", "value", "timestamp", "step", "is_nan")
        unread = 0
        for run, key, value, stamp, step, is_nan in read_rows(connection, "metrics", wanted, there, damage):
            number, at = math.nan if is_nan else _restore_infinity(parse_number(value)), parse_finite(step)
            raw = self._run(str(run))
            if number is None or at is None:
                unread += 1
            elif raw is not None:
                raw.column(str(key)).add(at, number, parse_seconds(stamp))
        if unread:
            damage.append(f"{unread} row(s) of the table metrics hold no value or no step: they were left out")

    def _run(self, run: str) -> RawLog | None:
        if run not in self._runs:
            self._runs[run] = RawLog(name=run, source=self._source)
        return self._runs[run]


def _restore_infinity(value: float | None) -> float | None:
    """The value as it was logged: MLflow's database keeps the greatest float in the place of infinity."""
    if value is not None and abs(value) >= sys.float_info.max:
        return math.copysign(math.inf, value)
    return value


def _read_folder(folder: Path) -> list[RawLog]:
    meta = _read_meta(folder)
    if meta.get("lifecycle_stage") == "deleted":
        return keep_logs_with_numbers([], folder, "It was deleted in MLflow: restore it there, or name another run.")
    name = meta.get("run_name") or _read_text(folder / "tags" / "mlflow.runName") or folder.name
    raw = RawLog(name=name, source=str(folder))
    raw.config = {key: _read_text(file) for key, file in _walk_leaves(folder / "params")}
    damage: list[str] = []
    for key, file in _walk_leaves(folder / "metrics"):
        try:
            unread, torn = _take_metric(key, file, raw)
        except OSError as error:
            damage.append(f"metrics/{key} cannot be read: it was left out ({error.strerror})")
            continue
        if unread:
            damage.append(f"{unread} line(s) of metrics/{key} hold no value or no step: they were left out")
        if torn:
            raw.notes.append(f"the last line of metrics/{key} is not whole yet: it was left out")
    return keep_logs_with_numbers([raw], folder, CURE, damage)


def _take_metric(key: str, file: Path, raw: RawLog) -> tuple[int, bool]:
    """Takes the points of one file, whose lines hold time in milliseconds, value and step.

    Returns:
        How many lines could not be read, and whether the last one breaks off.
    """
    unread, torn = 0, False
    with file.open("rb") as lines:
        while line := lines.readline(LONGEST_LINE):
            words = [word.decode("ascii", "replace") for word in line.split()]
            value, step = (parse_number(words[1]), parse_finite(words[2])) if len(words) > 2 else (None, None)
            torn = not line.endswith(b"\n")
            if value is not None and step is not None and not torn:
                raw.column(key).add(step, value, parse_seconds(words[0]))
            else:
                unread += bool(words) and not torn
    return unread, torn


def _walk_leaves(folder: Path) -> Iterator[tuple[str, Path]]:
    """The files under a folder by their path in it; links are not followed, they may lead out of it."""
    for parent, folders, files in () if folder.is_symlink() else os.walk(folder):
        folders.sort()
        for name in sorted(files):
            file = Path(parent, name)
            if file.is_file() and not file.is_symlink():
                yield file.relative_to(folder).as_posix(), file


def _read_text(file: Path) -> str:
    try:
        if file.is_symlink() or not file.is_file():
            return ""
        with file.open("rb") as content:
            return content.read(LONGEST_PARAM).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _read_meta(folder: Path) -> dict[str, str]:
    """The plain `key: value` lines of meta.yaml, which holds no others."""
    pairs = (line.partition(":") for line in _read_text(folder / "meta.yaml").splitlines())
    return {key.strip(): value.strip().strip("'\"") for key, _, value in pairs}
