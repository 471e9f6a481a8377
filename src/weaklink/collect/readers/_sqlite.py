"""SQLite databases, read and never written to, as far as they are whole."""

from __future__ import annotations

import sqlite3
import sys
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from weaklink.base.errors import CorruptLog, ReadError
from weaklink.base.limits import LONGEST_LINE, STALLED
from weaklink.collect.readers._files import read_head

BATCH = 512
INSTRUCTIONS = 100_000
"""So many steps of SQLite's machine, about a millisecond, lie between two looks at the clock."""

MAGIC = b"SQLite format 3\x00"
TROUBLE = (sqlite3.Error, UnicodeDecodeError)
"""The second is raised where the message of an error quotes a damaged name."""

Columns = Mapping[str, Collection[str]]
"""The names of columns by table."""


@contextmanager
def open_database(path: Path, notes: list[str]) -> Iterator[sqlite3.Connection]:
    """An SQLite file opened to be read and no more.

    Raises:
        CorruptLog: it is damaged, or another program holds it.
    """
    connection: sqlite3.Connection | None = None
    try:
        connection = _connect(path, notes)
        yield connection
    except TROUBLE as error:
        cure = "Copy it while no program writes to it, or check it with sqlite3's `PRAGMA integrity_check`."
        raise CorruptLog(f"A database must be whole and readable: {path} is not ({error}). {cure}") from error
    finally:
        if connection is not None:
            connection.close()


def _give_up_after(connection: sqlite3.Connection, seconds: float) -> None:
    """Ends a query that works for so long without a row: a damaged or hostile file can make it go on for ever."""
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, INSTRUCTIONS)


def _connect(path: Path, notes: list[str]) -> sqlite3.Connection:
    if not _at_rest(path):
        try:
            return _open(path, "mode=ro")
        except sqlite3.OperationalError:
            notes.append(f"{path.name} was read without its journal: its newest rows may be missing")
    return _open(path, "mode=ro&immutable=1")


def _at_rest(path: Path) -> bool:
    """Whether the file is kept with a write-ahead log but has none now: opened plainly, it would get one."""
    journal = path.with_name(f"{path.name}-wal")
    return read_head(path, 20)[18:20] == b"\x02\x02" and not read_head(journal, 1)


def _open(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=2)
    try:
        if sys.version_info >= (3, 11):  # before, `_refuse_long_values` does what it can
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_LINE)
        connection.text_factory = _decode_leniently
        _give_up_after(connection, STALLED)
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("SELECT name FROM sqlite_master LIMIT 1").fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def _decode_leniently(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _refuse_long_values(rows: Sequence[Sequence[object]]) -> None:
    """What SQLite does itself where Python can tell it the limit; none is longer than the file, but JSON takes more."""
    if any(isinstance(value, str | bytes) and len(value) > LONGEST_LINE for row in rows for value in row):
        raise sqlite3.DataError("string or blob too big")


def read_columns(connection: sqlite3.Connection, tables: Collection[str]) -> dict[str, set[str]]:
    """The columns of those of the tables that there are."""
    marks = ", ".join("?" * len(tables))
    query = "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"
    found: dict[str, set[str]] = {}
    for table, column in connection.execute(f"{query} AND t.name IN ({marks})", tuple(tables)):
        found.setdefault(table, set()).add(column)
    return found


def is_database_with(path: Path, columns: Columns) -> bool:
    """Whether a file is an SQLite database with these columns by table."""
    if read_head(path, len(MAGIC)) != MAGIC:
        return False
    try:
        with open_database(path, []) as connection:
            found = read_columns(connection, tuple(columns))
    except (ReadError, OSError):
        return False
    return all(set(wanted) <= found.get(table, set()) for table, wanted in columns.items())


def read_rows(
    connection: sqlite3.Connection,
    table: str,
    wanted: Sequence[str],
    there: Columns,
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
            if sys.version_info < (3, 11):
                _refuse_long_values(batch)
            yield from batch
            _give_up_after(connection, STALLED)
    except TROUBLE as error:
        damage.append(f"the table {table} is damaged: its rows were read up to there ({error})")
