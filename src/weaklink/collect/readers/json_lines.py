"""JSON rows: SB3's progress.json, verl's file logger, any JSON Lines, and JSON lists of rows or of columns."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.run import CUT_OFF
from weaklink.collect.readers import hyperparameters
from weaklink.collect.readers._files import OPENING, TextLines, TextSource, format_count, is_file
from weaklink.collect.readers._json import JsonScanner
from weaklink.collect.readers._memory import NO_MEMORY, ReadingMemory
from weaklink.collect.readers._rows import NO_METRICS, LogRows, flatten_numbers, is_step_name
from weaklink.collect.readers.raw import RawLog, make_key_printable, parse_number

Column = NDArray[np.float64]

NAME = "JSON rows"
LOOKS_FOR = "*.jsonl, *.json"

SUFFIXES = frozenset((".jsonl", ".ndjson", ".jl", ".json"))
SAMPLE_FIELDS = frozenset(("prompt", "completion", "messages", "response", "conversations", "trajectory", "steps"))
WRAPPERS = ("data", "metrics", "scalars", "values", "logs")
SETTINGS = ("config", "hparams", "hyperparameters", "args")
PREFIXES = tuple(f"{name}/" for name in SETTINGS)
LABELS = ("tag", "key", "name", "metric")

PARTS = frozenset((*WRAPPERS, "history", "curves", "series"))
"""Names of objects that say nothing of the columns in them."""

FEWEST = 8
"""Numbers in a list that is the course of something."""

EVALUATED = re.compile(r"eval|test|valid", re.IGNORECASE)
"""Names of lists whose rows are those of an evaluation."""

_LIST = r'"[^"]*"\s*:\s*\[(?:\s*(?:-?[\d.eE+-]+|NaN|-?Infinity|null)\s*,){7}'
_COLUMN, _COLUMNS = re.compile(_LIST), re.compile(r"\s*\{\s*" + _LIST)
_LISTED = re.compile(r'"[^"]*"\s*:\s*\[\s*\{')


def handles(path: Path) -> bool:
    """Whether the file holds rows of numbers as JSON."""
    if path.suffix.lower() not in SUFFIXES or not is_file(path) or hyperparameters.handles(path):
        return False
    if path.name == "progress.json":
        return True
    return is_rows(TextSource(path).opening, lines=path.suffix.lower() != ".json")


def is_rows(text: str, *, lines: bool) -> bool:
    """Whether the text starts as JSON rows; `lines`: whether the name promises one row a line."""
    if _holds_columns(text):
        return True
    rows = list(_find_first_rows(text))
    if not any(is_measured(row) for row in rows) or any(map(is_sample, rows)):
        return False
    if lines or len(rows) > 1 or text.lstrip().startswith("[") or _holds_listed_rows(text):
        return True
    return any(is_step_name(key) for row in rows for key in row)


def _holds_columns(text: str) -> bool:
    """Whether one object has lists of numbers, at its beginning or, two of them, behind settings and other things."""
    if _COLUMNS.match(text):
        return True
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("{") or (rest.strip() and _is_json(first)):
        return False
    return len(list(islice(_COLUMN.finditer(text), 2))) == 2


def _holds_listed_rows(text: str) -> bool:
    """Whether one object has a list of objects, alone or behind settings: `{"config": {}, "history": [{}, {}]}`."""
    first, _, rest = text.lstrip().partition("\n")
    if not first.startswith("{") or (rest.strip() and _is_json(first)):
        return False
    return _LISTED.search(text) is not None


def is_measured(row: object) -> bool:
    """Whether a row holds a number beside its counters."""
    return isinstance(row, dict) and any(not is_step_name(key) for key in flatten_numbers(unwrap_row(row)))


def is_sample(row: object) -> bool:
    """Whether a row is a completion or a trajectory, which is evidence of another kind."""
    return isinstance(row, dict) and any(isinstance(row.get(name), str | list) for name in SAMPLE_FIELDS)


def holds_samples(path: Path) -> bool:
    """Whether the first rows of a file are completions or trajectories."""
    if path.suffix.lower() not in SUFFIXES or not is_file(path):
        return False
    return any(map(is_sample, _find_first_rows(TextSource(path).opening)))


def columns(path: Path) -> frozenset[str]:
    """The names under which the numbers of the first rows, or the columns, will be found."""
    opening = TextSource(path).opening
    if _holds_columns(opening):
        return frozenset(re.findall(r'"([^"]*)"\s*:\s*\[', opening))
    rows = [row for row in _find_first_rows(opening) if isinstance(row, dict)]
    return frozenset(name for row in rows for name in flatten_numbers(unwrap_row(row)))


class JsonLinesReading(msgspec.Struct):
    """JSON Lines that are being read: their rows, and how many lines had none."""

    rows: LogRows
    damaged: int = 0
    last_damaged: bool = False

    def parse(self, lines: TextLines) -> list[str]:
        """Takes the lines; gives what is to be said of those that had to be passed over."""
        for line in lines:
            if line.strip():
                self.last_damaged = not _take(_load(line), self.rows)
                self.damaged += self.last_damaged
        remarks = lines.remarks
        if self.last_damaged:
            remarks.append(f"the last line {CUT_OFF}")
        if self.damaged > self.last_damaged:
            remarks.append(f"{format_count(self.damaged - self.last_damaged, 'line')} without a JSON row left out")
        return remarks


def read(paths: Sequence[Path], memory: ReadingMemory = NO_MEMORY) -> list[RawLog]:
    """Reads the rows of one run, whichever way they are laid out; lines from where they were read to the last time."""
    log = RawLog()
    for path in paths:
        part = RawLog(source=str(path))
        kept = memory.recall(path, JsonLinesReading)
        if kept is None:
            parse(TextSource(path), part, memory)
        else:
            start, reading = kept
            _finish_lines(TextSource(path, start=start), reading, memory)
            part = reading.rows.raw
        log.absorb(part)
    return [log]


def parse(text: TextSource, log: RawLog, memory: ReadingMemory = NO_MEMORY) -> None:
    """Files JSON text in the log."""
    opening, rows = text.opening, LogRows(log)
    if _holds_columns(opening):
        remarks = _parse_columns(text, log)
    elif _holds_listed_rows(opening):
        remarks = _parse_listed_rows(text, rows)
    elif opening.lstrip().startswith("{") and _is_json(opening.lstrip().partition("\n")[0]):
        _finish_lines(text, JsonLinesReading(rows), memory)
        return
    else:
        remarks = _parse_stream(text.chunks(), rows)
    rows.flush()
    log.notes.extend(f"{text.name}: {remark}" for remark in remarks)


def _finish_lines(text: TextSource, reading: JsonLinesReading, memory: ReadingMemory) -> None:
    """Takes the lines that are left."""

    def keep(place: int) -> None:
        if text.path is not None and reading.rows.settle():
            memory.keep(text.path, place, reading)

    remarks = reading.parse(text.lines(keep))
    reading.rows.flush()
    reading.rows.raw.notes.extend(f"{text.name}: {remark}" for remark in remarks)


def unwrap_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its numbers at the top: out of verl's `data` and similar fields, or from a name and a value."""
    nested = [key for key, value in row.items() if isinstance(value, dict)]
    if len(nested) == 1 and nested[0] in WRAPPERS:
        return {**{key: value for key, value in row.items() if key != nested[0]}, **row[nested[0]]}
    label = next((name for name in LABELS if isinstance(row.get(name), str)), None) if "value" in row else None
    if label is not None:
        rest = {key: value for key, value in row.items() if key not in ("value", label)}
        return {**rest, str(row[label]): row["value"]}
    return row


def _take(row: object, rows: LogRows) -> bool:
    """Files one row; False where it is none."""
    if not isinstance(row, dict):
        return False
    plain = unwrap_row(row)
    for name in SETTINGS:
        if isinstance(plain.get(name), dict):
            _keep_settings(plain.pop(name), rows.raw)
    told = [key for key in plain if key.startswith(PREFIXES)]
    _keep_settings({key.partition("/")[2]: plain.pop(key) for key in told}, rows.raw)
    numbers = flatten_numbers(plain)
    if numbers:
        rows.add(numbers)
    return True


def _keep_settings(settings: dict[str, Any], log: RawLog) -> None:
    for key, value in settings.items():
        log.config.setdefault(str(key), value)


def _parse_stream(chunks: Iterable[str], rows: LogRows) -> list[str]:
    """Rows in a list, or objects one after the other, over as many lines as they like."""
    scanner = JsonScanner(chunks)
    try:
        values = scanner.items() if scanner.peek() == "[" else scanner.values()
        for row in values:
            _take(row, rows)
    except ValueError:
        return ["cut off or damaged: what comes after the last whole row was left out"]
    return []


def _parse_listed_rows(text: TextSource, rows: LogRows) -> list[str]:
    """Rows in lists of one object, beside its settings."""
    try:
        for row in _read_listed_rows(text.chunks(), rows.raw):
            _take(row, rows)
    except ValueError:
        return ["cut off or damaged: what comes after the last whole row was left out"]
    return []


def _read_listed_rows(chunks: Iterable[str], log: RawLog | None = None) -> Iterator[dict[str, Any]]:
    """The objects in the lists of an object; its settings go into the log."""
    scanner = JsonScanner(chunks)
    for key in scanner.members():
        if scanner.peek() == "[":
            rows = (unwrap_row(row) for row in scanner.items() if isinstance(row, dict))
            before = f"{key}/" if EVALUATED.search(key) else ""
            yield from ({name if is_step_name(name) else before + name: row[name] for name in row} for row in rows)
            continue
        held = scanner.value()
        if key in SETTINGS and isinstance(held, dict) and log is not None:
            _keep_settings(held, log)


def _parse_columns(text: TextSource, log: RawLog) -> list[str]:
    """Lists of numbers by name, all counted alike: `{"reward": [1.0, 2.0, ...], "loss": [...]}`."""
    steps = _find_step_column(text)
    try:
        for key, values in _read_lists(text.chunks(), log):
            fits = steps is not None and len(steps) == len(values)
            if key.lower() not in NO_METRICS:
                log.column(make_key_printable(key)).extend(
                    steps if fits and steps is not None else np.arange(len(values)), values
                )
    except ValueError:
        return ["cut off or damaged: what comes after the last whole list was left out"]
    return []


def _find_step_column(text: TextSource) -> Column | None:
    try:
        for key, values in _read_lists(text.chunks()):
            if is_step_name(key) and (np.diff(values) >= 0).all():
                return values
    except ValueError:
        pass
    return None


def _read_lists(chunks: Iterable[str], log: RawLog | None = None) -> Iterator[tuple[str, Column]]:
    """The lists of numbers of an object and of the objects in it; its settings go into the log."""
    scanner = JsonScanner(chunks)
    for key in scanner.members():
        if scanner.peek() == "[":
            yield from _make_column(key, scanner.items())
            continue
        held = scanner.value()
        if key in SETTINGS and isinstance(held, dict):
            _keep_settings(held, log or RawLog())
        elif isinstance(held, dict):
            before = "" if key in PARTS else f"{key}/"
            for name, values in held.items():
                if isinstance(values, list) and len(values) >= FEWEST:  # a few numbers are a setting
                    yield from _make_column(f"{before}{name}", values)


def _make_column(key: str, items: Iterable[Any]) -> Iterator[tuple[str, Column]]:
    values = np.fromiter(_parse_floats(items), dtype=np.float64)
    if len(values):
        yield key, values


def _parse_floats(items: Iterable[Any]) -> Iterator[float]:
    for item in items:
        number = parse_number(item)
        yield float("nan") if number is None else number


def _find_first_rows(text: str, most: int = 5) -> Iterator[Any]:
    """The first values that look like rows in the opening of a text."""
    opening = text.lstrip()[:1]
    if opening == "[":
        source: Iterator[Any] = JsonScanner([text]).items()
    elif _holds_listed_rows(text):
        source = _read_listed_rows([text])
    elif opening == "{" and _is_json(text.lstrip().partition("\n")[0]):
        whole = text if len(text) < OPENING // 4 else text.rpartition("\n")[0] or text
        source = (_load(line) for line in whole.splitlines() if line.strip())
    elif opening == "{":
        source = JsonScanner([text]).values()
    else:
        return
    try:
        for _, row in zip(range(most), source, strict=False):
            yield row
    except ValueError:
        return


def _load(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _is_json(line: str) -> bool:
    return _load(line) is not None
