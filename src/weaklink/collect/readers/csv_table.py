"""Tables of text: SB3's and RLlib's progress.csv, Spinning Up's progress.txt, and any CSV or TSV with a header row."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path

import msgspec

from weaklink.base.evidence.run import CUT_OFF
from weaklink.base.patterns import compile_late
from weaklink.collect.readers._blocks import ByteBlocks, make_ahead
from weaklink.collect.readers._digits import NumberCells, parse_cells
from weaklink.collect.readers._files import TextLines, TextSource, format_count, is_file
from weaklink.collect.readers._memory import NO_MEMORY, ReadingMemory
from weaklink.collect.readers._rows import LogRows, RowBlock
from weaklink.collect.readers.raw import RawLog, parse_number

NAME = "CSV table"
LOOKS_FOR = "progress.csv, progress.txt, *.csv"

KNOWN = frozenset(("progress.csv", "progress.txt"))
SUFFIXES = frozenset((".csv", ".tsv", ".tab"))
DELIMITERS = ",\t;|"
SAMPLE_COLUMNS = frozenset(("prompt", "completion", "completions", "messages", "response", "text"))
EVALUATIONS = frozenset(("eval", "evaluation", "evaluations", "test", "val", "valid", "validation"))

_TENSORBOARD_EXPORT = ("wall time", "step", "value")
_EXPORTED_TAG = compile_late(r"(?:run-.*?-)?tag-(.+)")
_WANDB_EXTREMES = ("__MIN", "__MAX")


class TableShape(msgspec.Struct, frozen=True):
    """How a table is laid out: its delimiter and the names of its columns."""

    delimiter: str
    names: tuple[str, ...]


def handles(path: Path) -> bool:
    """Whether the file is a table with a header row and a column of numbers."""
    name = path.name.lower()
    if name.endswith("monitor.csv") or not (name in KNOWN or path.suffix.lower() in SUFFIXES):
        return False
    if not is_file(path):
        return False
    return name in KNOWN or is_table(TextSource(path).opening)


def is_table(text: str) -> bool:
    """Whether the text starts as a table with a header row over at least one number."""
    lines = _skip_comments(text.splitlines()[:20])
    shape = detect_shape(lines)
    if shape is None or {name.lower() for name in shape.names} & SAMPLE_COLUMNS:
        return False
    if len(lines) == 1:
        return len(shape.names) > 1
    return any(_parse_numbers(_split(line, shape.delimiter), shape) for line in lines[1:4])


def columns(path: Path) -> frozenset[str]:
    """The names under which the columns of a table will be found."""
    shape = detect_shape(_skip_comments(TextSource(path).opening.splitlines()[:20]))
    if shape is None:
        return frozenset()
    return frozenset(name for name in _rename_columns(shape.names, path.name) if name)


def read(paths: Sequence[Path], memory: ReadingMemory = NO_MEMORY) -> list[RawLog]:
    """Reads the tables of one run; a table of evaluations beside another one has its names set under `eval/`.

    Each is read from where it was read to the last time.
    """
    log = RawLog()
    for path in paths:
        aside = len(paths) > 1 and path.stem.lower() in EVALUATIONS
        part = RawLog(source=str(path))
        kept = memory.recall(path, CsvTable)
        if kept is None:
            parse(TextSource(path), part, "eval/" if aside else "", memory)
        else:
            start, table = kept
            _read_on(TextSource(path, start=start), table, memory)
            part = table.rows.raw
        log.absorb(part)
    return [log]


def parse(text: TextSource, log: RawLog, prefix: str = "", memory: ReadingMemory = NO_MEMORY) -> None:
    """Files the rows of a table in the log."""
    first = text.lines()
    opening = _read_opening(iter(first))
    shape = detect_shape(_skip_comments(opening))
    if shape is None:
        return
    table = CsvTable(shape, text.name, LogRows(log, prefix=prefix))
    keep = _make_keeper(text, table, memory)
    skip = len(opening) - _skip_comments(opening)[0].startswith("#")  # a comment that heads the row after it
    if text.is_large and not first.overlong:
        lines = _read_blocks(text, skip, table, keep)
    else:
        lines = text.lines(keep)
        _read_rows(islice(lines, skip, None), table)
    _finish(text, table, lines)


def _read_on(text: TextSource, table: CsvTable, memory: ReadingMemory) -> None:
    """Files the rows that were added to a table."""
    keep = _make_keeper(text, table, memory)
    if text.is_large:
        lines = _read_blocks(text, 0, table, keep)
    else:
        lines = text.lines(keep)
        _read_rows(iter(lines), table)
    _finish(text, table, lines)


def _make_keeper(text: TextSource, table: CsvTable, memory: ReadingMemory) -> Callable[[int], None]:
    def keep(place: int) -> None:
        """Keeps the table, unless a quoted cell may reach over the place."""
        if text.path is not None and not table.quoted and table.rows.settle():
            memory.keep(text.path, place, table)

    return keep


def _finish(text: TextSource, table: CsvTable, lines: TextLines) -> None:
    table.finish(whole=lines.whole)
    table.rows.flush()
    table.rows.raw.notes.extend(f"{text.name}: {remark}" for remark in (*table.remarks, *lines.remarks))


def _read_rows(lines: Iterable[str], table: CsvTable) -> None:
    for cells in _split_cells(table.look_for_quotes(lines), table):
        table.add(cells)


def _read_blocks(text: TextSource, skip: int, table: CsvTable, keep: Callable[[int], None]) -> TextLines:
    """Reads a large table block by block; where one holds more than numbers, row by row.

    A quoted cell may reach over the end of a block, so that all after it is read row by row.
    """
    lines, columns = text.lines(), len(table.names)
    blocks = ByteBlocks(text.path or Path(), skip, text.start)
    read = make_ahead(lambda block: parse_cells(block, table.shape.delimiter, columns), blocks)
    passed = 0
    for block, numbers in read:
        if not block.endswith(b"\n") and not blocks.overlong:
            keep(blocks.began + passed)
        passed += len(block)
        if numbers is not None and len(table.names) == columns and table.add_block(numbers):
            continue
        rest = (line for later, _ in read for line in _split_lines(later)) if b'"' in block else ()
        _read_rows(chain(_split_lines(block), rest), table)
    if blocks.whole and not blocks.overlong:
        keep(blocks.began + passed)
    lines.whole, lines.overlong = blocks.whole, blocks.overlong
    return lines


def _split_lines(block: bytes) -> Iterator[str]:
    return io.StringIO(block.decode("utf-8", "replace"), newline="\n")


def detect_shape(lines: Sequence[str]) -> TableShape | None:
    """The layout that the first lines show, or None where the first one is no header."""
    if not lines:
        return None
    first = lines[0].lstrip("#").strip("\r\n")
    delimiter = max(DELIMITERS, key=lambda mark: len(_split(first, mark)))
    names = tuple(name.strip() for name in _split(first, delimiter))
    worded = [name for name in names if name and parse_number(name) is None]
    if not worded or 2 * len(worded) < len(names) or len(set(worded)) < len(worded) / 2:
        return None
    if any(name.startswith(("{", "[", "<")) or len(name) > 300 for name in worded):
        return None
    return TableShape(delimiter, names)


def _split(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _read_opening(lines: Iterator[str], most: int = 50) -> list[str]:
    """The lines up to and with the header."""
    taken: list[str] = []
    for line in lines:
        taken.append(line)
        if line.strip() and (not line.startswith("#") or len(taken) >= most):
            break
    return taken


def _skip_comments(lines: Sequence[str]) -> list[str]:
    """The lines from the header on: a commented line is the header only if it has as many cells as the row after."""
    kept = [line for line in lines if line.strip()]
    while kept and kept[0].startswith("#"):
        if len(kept) > 1 and not kept[1].startswith("#") and _heads(kept[0], kept[1]):
            break
        kept.pop(0)
    return kept


def _heads(comment: str, row: str) -> bool:
    count, mark = max((row.count(mark), mark) for mark in DELIMITERS)
    return count > 0 and comment.count(mark) == count and parse_number(row.split(mark)[0]) is not None


def _split_cells(lines: Iterator[str], table: CsvTable) -> Iterator[list[str]]:
    reader = csv.reader(lines, delimiter=table.shape.delimiter)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            table.damaged += 1


class CsvTable:
    """The rows of a table as they come: headers met again, rows too short or too long, a torn last row.

    `quoted` says that a cell may reach over several lines.
    """

    def __init__(self, shape: TableShape, file_name: str, rows: LogRows) -> None:
        self.shape = shape
        self.file_name = file_name
        self.rows = rows
        self.names = _rename_columns(shape.names, file_name)
        self._named = TableShape(shape.delimiter, self.names)
        self.damaged = 0
        self.too_long = 0
        self.torn = False
        self.quoted = False
        self._held: list[str] = []

    def look_for_quotes(self, lines: Iterable[str]) -> Iterator[str]:
        """The same lines."""
        for line in lines:
            self.quoted = self.quoted or '"' in line
            yield line

    def add(self, cells: list[str]) -> None:
        """Takes one row in, a row late: only the end of the file tells whether the last one is whole."""
        self._take(self._held)
        self._held = cells

    def add_block(self, numbers: NumberCells) -> bool:
        """Takes many rows in at once; False where they must be looked at one by one."""
        named = [place for place, name in enumerate(self.names) if name]
        names = tuple(self.names[place] for place in named)
        if len(set(names)) < len(names):
            return False
        values, missing = numbers
        if len(named) < len(self.names):
            values, missing = values[:, named], None if missing is None else missing[:, named]
        if missing is not None and missing.all(axis=1).any():
            return False
        self._take(self._held)
        self._held = []
        self.rows.add_block(RowBlock(names, values, missing))
        return True

    def finish(self, *, whole: bool) -> None:
        """Takes the last row in, unless it was cut off while it was written."""
        if not whole and len(self._held) < len(self.names):
            self.torn = bool(self._held)
            return
        self._take(self._held)

    @property
    def remarks(self) -> list[str]:
        """What had to be passed over."""
        said = []
        if self.damaged:
            said.append(f"{format_count(self.damaged, 'damaged row')} left out")
        if self.too_long:
            said.append(f"{format_count(self.too_long, 'row')} longer than the header; the cells beyond it left out")
        if self.torn:
            said.append(f"the last row {CUT_OFF}")
        return said

    def _take(self, cells: list[str]) -> None:
        if not cells:
            return
        numbers = _parse_numbers(cells, self._named)
        if numbers:
            self.too_long += len(cells) > len(self.names)
            self.rows.add(numbers)
        elif len(set(cells) & set(self.shape.names)) * 2 > len(cells):
            self.shape = TableShape(self.shape.delimiter, tuple(cell.strip() for cell in cells))
            self.names = _rename_columns(self.shape.names, self.file_name)
            self._named = TableShape(self.shape.delimiter, self.names)


def _parse_numbers(cells: Sequence[str], shape: TableShape) -> dict[str, float]:
    if len(cells) == len(shape.names) and "" not in cells and "" not in shape.names:
        with suppress(ValueError):
            return dict(zip(shape.names, map(float, cells), strict=True))
    found: dict[str, float] = {}
    for name, cell in zip(shape.names, cells, strict=False):
        if not cell or not name:
            continue
        try:
            found[name] = float(cell)
        except ValueError:
            number = _parse_odd_number(cell.strip(), shape.delimiter)
            if number is not None:
                found[name] = number
    return found


def _parse_odd_number(cell: str, delimiter: str) -> float | None:
    if cell in ("True", "False"):
        return float(cell == "True")
    if delimiter == ";" and cell.count(",") == 1:
        return parse_number(cell.replace(",", "."))
    return None


def _rename_columns(names: Sequence[str], file_name: str) -> tuple[str, ...]:
    """The names of the columns, those that web pages write into their exports made the logged ones again."""
    if tuple(name.lower() for name in names) == _TENSORBOARD_EXPORT:
        stem = file_name.removesuffix(".csv")
        tag = _EXPORTED_TAG.fullmatch(stem)
        return (*names[:2], tag.group(1) if tag is not None else stem)
    if any(name.endswith(_WANDB_EXTREMES) for name in names):
        kept = ["" if name.endswith(_WANDB_EXTREMES) else name for name in names]
        runs = {name.rpartition(" - ")[0] for name in kept if " - " in name}
        return tuple(name.rpartition(" - ")[2] if len(runs) == 1 else name for name in kept)
    return tuple(names)
