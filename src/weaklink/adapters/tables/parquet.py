"""Rows of plain values as a Parquet file, where pyarrow is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

BATCH = 1024
"""Rows that are made columns at once: the memory that writing takes does not grow with the table."""

KINDS = {"text": "string", "number": "float64", "count": "int64", "switch": "bool_"}


def has_parquet() -> bool:
    """Whether Parquet can be written here."""
    return find_spec("pyarrow") is not None


def write_parquet(
    file: Path, kinds: Mapping[str, str], rows: Iterable[Mapping[str, Any]], parts: Mapping[str, Mapping[str, str]]
) -> None:
    """Writes rows.

    Args:
        file: the file, which is written anew.
        kinds: the columns in their order, each `text`, `number`, `count`, `switch`, `numbers`, `texts`, or the name of
            one of the `parts`.
        rows: the rows; a column that one lacks is empty there.
        parts: the fields of columns that are lists of records.

    Raises:
        OSError: it cannot be written.
    """
    import pyarrow
    from pyarrow import parquet

    schema = pyarrow.schema([(name, _make_type(pyarrow, kind, parts)) for name, kind in kinds.items()])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for batch in _split(rows):
            columns = [
                pyarrow.array([row.get(name) for row in batch], type=schema.field(name).type, from_pandas=False)
                for name in kinds
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))


def _make_type(pyarrow: Any, kind: str, parts: Mapping[str, Mapping[str, str]]) -> Any:
    if kind in KINDS:
        return getattr(pyarrow, KINDS[kind])()
    if kind in ("numbers", "texts"):
        return pyarrow.list_(getattr(pyarrow, KINDS[kind[:-1]])())
    return pyarrow.list_(pyarrow.struct([(name, _make_type(pyarrow, one, parts)) for name, one in parts[kind].items()]))


def _split(rows: Iterable[Mapping[str, Any]]) -> Iterator[Sequence[Mapping[str, Any]]]:
    batch: list[Mapping[str, Any]] = []
    for row in rows:
        batch.append(row)
        if len(batch) >= BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
