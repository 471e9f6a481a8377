"""The folder that DVCLive writes: `plots/metrics/<name>.tsv`, one table a metric, with a step and a value in each row.

A name with slashes is a path of folders. Rows may start with the time in milliseconds. Hyper-parameters are in the
`params.yaml` of the folder, which is read like any other. See https://dvc.org/doc/dvclive/live/log_metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from weaklink.collect.readers._files import TextSource, clean, format_count, make_natural_key, read_head
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.raw import RawLog, make_key_printable, parse_number

NAME = "DVCLive"
LOOKS_FOR = "plots/metrics/*.tsv"

PLACE = ("plots", "metrics")
MILLISECONDS = 1e-3


def handles(path: Path) -> bool:
    """Whether the folder holds metrics, or the file is one of them."""
    try:
        if path.is_dir():
            return any(map(_is_metric, _tables(path)))
        return path.suffix == ".tsv" and _root(path) is not None and _is_metric(path)
    except (OSError, ValueError):
        return False


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads every metric, under the name that it was logged by."""
    log = RawLog(source=str(paths[0]))
    for path in paths:
        for table in _tables(path) if path.is_dir() else (path,):
            name = table.relative_to(_root(table) or table.parent).with_suffix("").as_posix()
            _read_metric(table, make_key_printable(clean(name)), log)
    return [log]


def _tables(folder: Path) -> list[Path]:
    """The tables of metrics of a folder or, where it is the folder of metrics itself, in it; links left alone."""
    metrics = folder if folder.parts[-2:] == PLACE else folder.joinpath(*PLACE)
    if metrics.is_symlink() or metrics.parent.is_symlink():
        return []
    tables = (table for table in metrics.rglob("*.tsv") if not table.is_symlink() and table.is_file())
    return sorted(tables, key=lambda table: make_natural_key(str(table)))


def _root(table: Path) -> Path | None:
    """The folder of metrics that a table lies in."""
    return next((folder for folder in table.parents if folder.parts[-2:] == PLACE), None)


def _is_metric(table: Path) -> bool:
    header = read_head(table, 1024).partition(b"\n")[0].decode("utf-8", "replace").strip().split("\t")
    return header in (["step", table.stem], ["timestamp", "step", table.stem])


def _read_metric(table: Path, key: str, log: RawLog) -> None:
    rows = LogRows(log)
    damaged = 0
    for cells in _cells(table):
        time, step, value = (parse_number(cell) for cell in ("", "", *cells)[-3:])
        if step is not None and value is not None:
            rows.add({key: value}, step, None if time is None else time * MILLISECONDS)
        else:
            damaged += 1
    rows.flush()
    if damaged:
        log.notes.append(f"{clean(table.name)}: {format_count(damaged, 'row')} without a number left out")


def _cells(table: Path) -> Iterator[list[str]]:
    """The cells of every row below the header."""
    for place, line in enumerate(TextSource(table).lines()):
        if place and line.strip():
            yield line.strip("\r\n").split("\t")
