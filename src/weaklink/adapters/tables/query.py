"""Questions in SQL about a table in a file, answered by DuckDB."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError

READERS = {".parquet": "read_parquet", ".jsonl": "read_json_auto"}


def ask_table(file: Path, name: str, question: str) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
    """The columns and rows of the answer. The question sees the table and nothing else of the machine.

    Args:
        file: a Parquet file, or lines of JSON.
        name: what the question calls it.
        question: one SELECT.

    Raises:
        UsageError: DuckDB is not installed, or cannot answer.
    """
    if find_spec("duckdb") is None:
        raise UsageError("Questions in SQL need DuckDB, which is not installed: pip install 'weaklink[fleet]'.")
    import duckdb

    with duckdb.connect(":memory:") as database:
        try:
            database.execute(f"CREATE TABLE {name} AS SELECT * FROM {READERS[file.suffix]}(?)", [str(file)])
            database.execute("SET enable_external_access = false")  # a question reads and writes no other file
            answer = database.execute(question)
            columns = tuple(str(column[0]) for column in answer.description or ())
            return columns, answer.fetchall()
        except duckdb.Error as error:
            raise UsageError(f"DuckDB cannot answer: {str(error).strip()} The table is called {name}.") from None
