"""The answer to a question in SQL: a table, or rows for programs."""

from __future__ import annotations

from typing import Any

from weaklink.show.document import Document, Section, Table, TableRow, bind_pages
from weaklink.show.text import count_noun
from weaklink.verbs.fleet.query import FleetAnswer

COMMAND = "fleet query"


def build(answer: FleetAnswer) -> Document:
    """The rows as a table."""
    numbers = [
        place
        for place in range(len(answer.columns))
        if any(row[place] is not None for row in answer.rows)
        and all(row[place] is None or _is_number(row[place]) for row in answer.rows)
    ]
    rows = tuple(TableRow(cells=tuple(map(_format, row))) for row in answer.rows)
    table = Table(title="", columns=answer.columns, rows=rows, numeric=tuple(numbers))
    return bind_pages((), title=count_noun(len(rows), "row"), together=(Section(id="rows", title="", blocks=(table,)),))


def record(answer: FleetAnswer) -> dict[str, Any]:
    """The rows under the keys of the contract."""
    return {"columns": list(answer.columns), "rows": [list(row) for row in answer.rows]}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _format(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
