"""Rows of Parquet files, such as those that TRL writes to `completions/`; read with pyarrow, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from weaklink.base.errors import CorruptLog, UsageError
from weaklink.base.limits import check_size, find_most_unpacked
from weaklink.collect.readers._files import clean, make_read_error, read_head

MAGIC = b"PAR1"
SUFFIXES = (".parquet", ".pq")
BATCH = 32
"""Rows that are unpacked at once: one text may stand for all of them in the file, so it is held that many times."""

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


TableLayout = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


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
    yield from read_batches(file, _read_layout(file)[0])


def read_batches(file: Path, names: Sequence[str] | None = None) -> Iterator[tuple[int, Any]]:
    """The rows of these columns, or of all, with their places.

    Raises:
        CorruptLog: the file is damaged.
        TooLarge: a column of it asks for more memory than any has.
    """
    arrow, parquet = _import_pyarrow(file)
    place = 0
    try:
        with parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False) as table:
            _check_growth(table.metadata, file)
            for batch in table.iter_batches(batch_size=BATCH, columns=None if names is None else list(names)):
                for row in batch.to_pylist():
                    place += 1
                    yield place, row
    except (arrow.ArrowException, OSError, ValueError, OverflowError, KeyError) as error:
        raise _make_damage_error(file, error, place) from error


def _check_growth(metadata: Any, file: Path) -> None:
    """Raises where a column would grow into more memory than data do."""
    for group in range(metadata.num_row_groups):
        for place in range(metadata.num_columns):
            column = metadata.row_group(group).column(place)
            most = find_most_unpacked(column.total_compressed_size)
            what = f"The column {column.path_in_schema} of one row group"
            check_size(clean(file), column.total_uncompressed_size, most, what, "Write it with smaller row groups.")


def _read_layout(file: Path) -> TableLayout:
    """The columns to read, those of them that are reward components, and those to pass over."""
    try:
        known = file.stat()
    except OSError as error:
        raise make_read_error(file, error) from error
    return _read_unchanged_layout(file, known.st_mtime_ns, known.st_size)


@lru_cache(maxsize=8)
def _read_unchanged_layout(file: Path, changed: int, size: int) -> TableLayout:
    arrow, parquet = _import_pyarrow(file)
    try:
        schema = parquet.read_schema(file)
        names = schema.names
    except (arrow.ArrowException, OSError, ValueError, KeyError) as error:  # a name need not be text
        raise _make_damage_error(file, error, 0) from error
    by_trl = set(names) >= TRL_COLUMNS and "reward" not in names
    parts = tuple(
        column.name
        for column in schema
        if by_trl and arrow.types.is_floating(column.type) and column.name not in NEVER_COMPONENTS
    )
    known = tuple(column.name for column in schema if not _is_binary(arrow, column.type))
    return known, parts, tuple(name for name in names if name not in known)


def _is_binary(arrow: Any, kind: Any) -> bool:
    """Whether a column has bytes, such as images: no part of a sample."""
    types = arrow.types
    return bool(types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind))


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
