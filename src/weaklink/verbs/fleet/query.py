"""A question in SQL about the runs of a fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from weaklink.adapters.tables.query import ask_table
from weaklink.base.errors import UsageError
from weaklink.verbs.fleet.table import JSON_LINES, PARQUET

TABLE = "runs"


class FleetAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The columns and rows that a question gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


def query_fleet(folder: str, question: str) -> FleetAnswer:
    """Asks the table of the fleet that is kept in a folder.

    Raises:
        UsageError: no fleet is kept there, DuckDB is not installed, or it cannot answer.
    """
    file = next((Path(folder) / name for name in (PARQUET, JSON_LINES) if (Path(folder) / name).is_file()), None)
    if file is None:
        raise UsageError(
            f"No fleet is kept in {folder}: there is no {PARQUET}. Make one: `weaklink diagnose runs/ --out {folder}`."
        )
    columns, rows = ask_table(file, TABLE, question)
    return FleetAnswer(columns=columns, rows=tuple(rows))
