"""What the files of experiment trackers are made of: protobuf messages, rows of JSON and SQLite databases."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weaklink.errors import CorruptLog, EmptyLog, ReadError
from weaklink.readers.raw import RawLog, number_in

BATCH = 512
LONGEST_CELL = 64 * 1024 * 1024
SQLITE_MAGIC = b"SQLite format 3\x00"
SQLITE_TROUBLE = (sqlite3.Error, UnicodeDecodeError)
"""The second is raised where the message of an error quotes a damaged name."""


def fields(message: bytes) -> list[tuple[int, int | bytes]]:
    """The fields of a protobuf message by number: varints as numbers, all else as bytes.

    Raises:
        ValueError: the message breaks off or is none.
    """
    found: list[tuple[int, int | bytes]] = []
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(message, at)
            found.append((tag >> 3, value))
            continue
        if kind == 2:
            length, at = _varint(message, at)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError(f"field {tag >> 3} is of the unknown kind {kind}")
        if length > end - at:
            raise ValueError(f"field {tag >> 3} breaks off")
        found.append((tag >> 3, message[at : at + length]))
        at += length
    return found


def _varint(message: bytes, at: int) -> tuple[int, int]:
    if at < len(message) and message[at] < 0x80:
        return message[at], at + 1
    value = 0
    for place, byte in enumerate(message[at : at + 10]):
        value |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return value, at + place + 1
    raise ValueError("a number breaks off")


def json_in(text: str | bytes) -> Any:
    """The value of a JSON text; `NaN` and `Infinity` may stand in it, and very long whole numbers are floats.

    Raises:
        ValueError: the text is no JSON.
    """
    try:
        return json.loads(text, parse_int=_whole)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


def mapping_in(text: object) -> dict[str, Any] | None:
    """The JSON object that a text holds, or None where it holds none."""
    if not isinstance(text, str | bytes):
        return None
    try:
        value = json_in(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def numbers_in(row: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The numbers of a logged row, nested keys joined by `/`; media and histograms (`_type`) are left."""
    waiting: list[tuple[str, Mapping[str, Any]]] = [("", row)]
    while waiting:
        prefix, mapping = waiting.pop()
        if prefix and "_type" in mapping:
            continue
        for key, value in mapping.items():
            if isinstance(value, dict):
                waiting.append((f"{prefix}{key}/", value))
            elif (number := number_in(value)) is not None:
                yield f"{prefix}{key}", number


class Points:
    """Gathers points by key and hands them to a log in batches: one by one they cost ten times as much."""

    def __init__(self, raw: RawLog) -> None:
        self._raw = raw
        self._waiting: dict[str, tuple[list[float], list[float], list[float]]] = {}

    def add(self, key: str, step: float, value: float, time: float | None = None) -> None:
        """Adds one point; its time may be unknown."""
        waiting = self._waiting.get(key)
        if waiting is None:
            self._raw.column(key)
            waiting = self._waiting[key] = ([], [], [])
        steps, values, times = waiting
        steps.append(step)
        values.append(value)
        times.append(math.nan if time is None else time)
        if len(steps) >= BATCH:
            self._hand_over(key)

    def finish(self) -> None:
        """Hands over what still waits."""
        for key in self._waiting:
            self._hand_over(key)

    def _hand_over(self, key: str) -> None:
        steps, values, times = self._waiting[key]
        if steps:
            timed = all(map(math.isfinite, times))
            self._raw.column(key).extend(steps, values, times if timed else None)
        for column in (steps, values, times):
            column.clear()


def read_each(paths: Sequence[Path], read_one: Callable[[Path], Iterable[RawLog]]) -> list[RawLog]:
    """Reads one path after another; one that cannot be read is a remark as long as another can.

    Raises:
        ReadError: no path gave a log.
    """
    logs: list[RawLog] = []
    troubles: list[ReadError] = []
    for path in paths:
        try:
            logs.extend(read_one(path))
        except ReadError as trouble:
            troubles.append(trouble)
        except OSError as trouble:
            reason = trouble.strerror or str(trouble)
            cure = "Check that it exists, and its permissions."
            troubles.append(ReadError(f"A log must be readable: {path} is not ({reason}). {cure}"))
    if not logs:
        raise (troubles[0] if troubles else EmptyLog("A log is needed: no path was given. Name a file or a folder."))
    logs[0].notes.extend(str(trouble) for trouble in troubles)
    return logs


def told_apart(runs: Mapping[str, RawLog]) -> list[RawLog]:
    """The runs by their id, as a list; to the name that several share, the start of the id is added."""
    shared = Counter(raw.name for raw in runs.values())
    for run, raw in runs.items():
        if shared[raw.name] > 1:
            raw.name = f"{raw.name} ({run[:8]})"
    return list(runs.values())


def with_numbers(logs: Iterable[RawLog], path: Path, cure: str, damage: Sequence[str] = ()) -> list[RawLog]:
    """The logs that hold a number, with the remarks on the damage of their file.

    Raises:
        CorruptLog: none does, and the file is damaged.
        EmptyLog: none does.
    """
    full = [raw for raw in logs if raw.columns]
    for raw in full:
        raw.notes.extend(damage)
    if full:
        return full
    if damage:
        raise CorruptLog(f"A log must be whole up to its first number: {path} is not ({damage[0]}). {cure}")
    raise EmptyLog(f"A log must hold a number: {path} holds none. {cure}")


def head_of(path: Path, length: int) -> bytes:
    """The first bytes of a file; none where there is no such file to read."""
    try:
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(length)
    except (OSError, ValueError):
        return b""


@contextmanager
def database(path: Path, notes: list[str]) -> Iterator[sqlite3.Connection]:
    """An SQLite file opened to be read and no more.

    Raises:
        CorruptLog: it is damaged, or another program holds it.
    """
    connection: sqlite3.Connection | None = None
    try:
        connection = _connected(path, notes)
        yield connection
    except SQLITE_TROUBLE as error:
        cure = "Copy it while no program writes to it, or check it with sqlite3's `PRAGMA integrity_check`."
        raise CorruptLog(f"A database must be whole and readable: {path} is not ({error}). {cure}") from error
    finally:
        if connection is not None:
            connection.close()


def _connected(path: Path, notes: list[str]) -> sqlite3.Connection:
    if not _at_rest(path):
        try:
            return _opened(path, "mode=ro")
        except sqlite3.OperationalError:
            notes.append(f"{path.name} was read without its journal: its newest rows may be missing")
    return _opened(path, "mode=ro&immutable=1")


def _at_rest(path: Path) -> bool:
    """Whether the file is kept with a write-ahead log but has none now: opened plainly, it would get one."""
    journal = path.with_name(f"{path.name}-wal")
    return head_of(path, 20)[18:20] == b"\x02\x02" and not head_of(journal, 1)


def _opened(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=2)
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_CELL)
        connection.text_factory = _lenient
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _lenient(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def columns_of(connection: sqlite3.Connection, tables: Collection[str]) -> dict[str, set[str]]:
    """The columns of those of the tables that there are."""
    marks = ", ".join("?" * len(tables))
    query = "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(f"{query} AND t.name IN ({marks})", tuple(tables)):
        found.setdefault(table, set()).add(column)
    return found


def is_database_with(path: Path, columns: Mapping[str, Collection[str]]) -> bool:
    """Whether a file is an SQLite database with these columns by table."""
    if head_of(path, len(SQLITE_MAGIC)) != SQLITE_MAGIC:
        return False
    try:
        with database(path, []) as connection:
            found = columns_of(connection, tuple(columns))
    except (ReadError, OSError):
        return False
    return all(set(wanted) <= found.get(table, set()) for table, wanted in columns.items())


def rows_of(
    connection: sqlite3.Connection,
    table: str,
    wanted: Sequence[str],
    there: Mapping[str, Collection[str]],
    damage: list[str],
) -> Iterator[tuple[Any, ...]]:
    """The rows of a table in the order of writing; a column that is not there is None throughout.

    Where the table is missing or damaged, the rows end and a remark is added to `damage`.
    """
    if table not in there:
        damage.append(f"the table {table} is missing")
        return
    listed = ", ".join(f'"{column}"' if column in there[table] else "NULL" for column in wanted)
    try:
        cursor = connection.execute(f'SELECT {listed} FROM "{table}" ORDER BY rowid')
        while batch := cursor.fetchmany(BATCH):
            yield from batch
    except SQLITE_TROUBLE as error:
        damage.append(f"the table {table} is damaged: its rows were read up to there ({error})")
