"""Trackio: the SQLite database of a project (`<project>.db`) with all its runs, read without Trackio."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from weaklink.collect.readers._sqlite import Columns, is_database_with, open_database, read_columns, read_rows
from weaklink.collect.readers._trackers import (
    extract_numbers,
    keep_logs_with_numbers,
    make_names_unique,
    parse_finite,
    parse_mapping,
    read_each,
)
from weaklink.collect.readers.raw import RawLog

NAME = "Trackio"
LOOKS_FOR = "<project>.db of Trackio"

TABLES = {"metrics": ("run_name", "step", "metrics"), "configs": ("run_name", "config")}
INTERNAL = frozenset(("_Username", "_Created", "_Group"))


def handles(path: Path) -> bool:
    """Whether this is the database of a Trackio project."""
    return is_database_with(path, TABLES)


def read(paths: Sequence[Path]) -> list[RawLog]:
    """The runs in these databases.

    Raises:
        ReadError: none holds a run that can be read.
    """
    return read_each(paths, _read_database)


def _read_database(path: Path) -> list[RawLog]:
    damage: list[str] = []
    with open_database(path, damage) as connection:
        there = read_columns(connection, tuple(TABLES))
        runs = _TrackioRuns(path)
        runs.take_configs(connection, there, damage)
        runs.take_metrics(connection, there, damage)
    cure = "Wait for the first trackio.log of the project, or name another file."
    return keep_logs_with_numbers(runs.logs(), path, cure, damage)


class _TrackioRuns:
    """The runs of one database by their id; older ones have their name alone."""

    def __init__(self, path: Path) -> None:
        self._source = str(path)
        self._runs: dict[str, RawLog] = {}

    def logs(self) -> list[RawLog]:
        """The runs that hold a number; those that share a name are told apart by their id."""
        return make_names_unique({run: raw for run, raw in self._runs.items() if raw.columns})

    def take_configs(self, connection: sqlite3.Connection, there: Columns, damage: list[str]) -> None:
        wanted = ("run_id", "run_name", "config")
        for run, name, text in read_rows(connection, "configs", wanted, there, damage):
            raw = self._run(run, name)
            config = parse_mapping(text) or {}
            raw.config.update((key, value) for key, value in config.items() if key not in INTERNAL)

    def take_metrics(self, connection: sqlite3.Connection, there: Columns, damage: list[str]) -> None:
        wanted = ("run_id", "run_name", "timestamp", "step", "metrics")
        unread = 0
        for run, name, stamp, step, text in read_rows(connection, "metrics", wanted, there, damage):
            row, at = parse_mapping(text), parse_finite(step)
            if row is None or at is None:
                unread += 1
                continue
            raw = self._run(run, name)
            time = _parse_seconds(stamp)
            for key, value in extract_numbers(row).items():
                raw.column(key).add(at, value, time)
        if unread:
            damage.append(f"{unread} row(s) of the table metrics hold no step or no JSON: they were left out")

    def _run(self, run: object, name: object) -> RawLog:
        key = str(run or name)
        if key not in self._runs:
            self._runs[key] = RawLog(name=str(name or run), source=self._source)
        return self._runs[key]


def _parse_seconds(stamp: object) -> float | None:
    try:
        moment = datetime.fromisoformat(str(stamp).replace("Z", "+00:00"))  # Python 3.10 knows no Z
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).timestamp()
