"""Rows of Parquet files, such as those that TRL writes to `completions/`; read with pyarrow, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from weaklink.base.errors import CorruptLog, UsageError
from weaklink.collect.readers._files import clean, read_head
from weaklink.collect.readers.samples.names import NESTED, find_component, find_field

MAGIC = b"PAR1"
SUFFIXES = (".parquet", ".pq")
BATCH = 512
TRL_COLUMNS = frozenset(("prompt", "completion", "advantage"))
NEVER_COMPONENTS = frozenset(
    (
        "step",
        "advantage",
        "advantages",
        "gold",
        "human_score",
        "success",
        "entropy",
        "kl",
        "cost",
        "difficulty",
        "reward",
    )
)


def handles(file: Path) -> bool:
    """Whether this is a Parquet file, by its first bytes."""
    return read_head(file, 4) == MAGIC


def components(file: Path) -> tuple[str, ...]:
    """Columns that are reward components by the layout of the file.

    TRL gives each reward function a column of its own name, as floating-point numbers, and writes no sum.
    """
    return _read_layout(file)[1]


def passed_over(file: Path) -> tuple[str, ...]:
    """Columns that were not read, since they are no part of a sample."""
    return _read_layout(file)[2]


def rows(file: Path) -> Iterator[tuple[int, Any]]:
    """The rows with their places, counted from 1."""
    arrow, parquet = _import_pyarrow(file)
    names, _, _ = _read_layout(file)
    place = 0
    try:
        with parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False) as table:
            for batch in table.iter_batches(batch_size=BATCH, columns=list(names)):
                for row in batch.to_pylist():
                    place += 1
                    yield place, row
    except (arrow.ArrowException, OSError, UnicodeDecodeError) as error:
        raise _make_damage_error(file, error, place) from error


@lru_cache(maxsize=8)
def _read_layout(file: Path) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The columns to read, those of them that are reward components, and those to pass over."""
    arrow, parquet = _import_pyarrow(file)
    try:
        schema = parquet.read_schema(file)
    except (arrow.ArrowException, OSError) as error:
        raise _make_damage_error(file, error, 0) from error
    by_trl = set(schema.names) >= TRL_COLUMNS and "reward" not in schema.names
    parts = tuple(
        column.name
        for column in schema
        if by_trl and arrow.types.is_floating(column.type) and column.name not in NEVER_COMPONENTS
    )
    known = tuple(
        name for name in schema.names if find_field(name) or name in NESTED or name in parts or find_component(name)
    )
    return known, parts, tuple(name for name in schema.names if name not in known)


def _is_known(name: str) -> bool:
    return bool(find_field(name) or find_component(name)) or name in NESTED


def _import_pyarrow(file: Path) -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(
            f"Reading {clean(file)} needs pyarrow, which is not installed: pip install weaklink[samples]"
        ) from None
    return pyarrow, pyarrow.parquet


def _make_damage_error(file: Path, error: Exception, place: int) -> CorruptLog:
    after = f" after row {place}" if place else ""
    return CorruptLog(f"{clean(file)} is no whole Parquet file{after}: {error}. Copy or write it anew.")
