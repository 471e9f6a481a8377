"""TensorBoard's event files, read without TensorBoard.

The records of a block that are equally long are laid out as the rows of a matrix. The first row is parsed,
the rows that differ from it only in time, step and values are read with it, and so on with those left.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from weaklink.base.errors import CorruptLog, EmptyLog, ReadError
from weaklink.collect.readers._crc32c import compute_masked_crc32c, compute_masked_crc32c_of_rows
from weaklink.collect.readers._event import EventLayouts, LoggedEvent, parse_event, read_number, read_numbers
from weaklink.collect.readers._files import is_file
from weaklink.collect.readers._memory import NO_MEMORY, ReadingMemory
from weaklink.collect.readers._protobuf import MalformedMessage
from weaklink.collect.readers._tfrecord import FRAME, HEADER, RecordBlock, RecordFaults, read_blocks, read_length
from weaklink.collect.readers._trackers import parse_mapping
from weaklink.collect.readers.raw import RawLog

NAME = "TensorBoard"
LOOKS_FOR = "events.out.tfevents.*"

Indices = NDArray[np.intp]
Array = NDArray[np.float64]
Rows = NDArray[np.uint8]

_FEW = 32
"""So few records are read faster one by one than as a matrix."""

_WIDEST = 1 << 13
"""Records longer than this are read one by one."""

_PATIENCE = 16
"""After so many layouts that few records share, the rest of a matrix is read one by one."""

_LONGEST_TEXT = 1 << 20
_LONGEST_NAMESPACE = 1 << 16
"""Parsed as Python, text takes hundreds of times its memory."""

_SETTINGS = re.compile(
    r"(.*/)?(args|arguments|cfg|config|configuration|h(yper)?_?param(eter)?s|param(eter)?s|settings)", re.I
)


def handles(path: Path) -> bool:
    """Whether this is an event file, by its name."""
    return "tfevents" in path.name and is_file(path)


@dataclass
class EventsReading:
    """Event files that are being read: the log so far, and what was wrong with the file."""

    raw: RawLog
    faults: RecordFaults = field(default_factory=RecordFaults)


def read(paths: Sequence[Path], memory: ReadingMemory = NO_MEMORY) -> list[RawLog]:
    """Reads the event files of one run, of which a resumed run has several, as one log.

    A single file is read from where it was read to the last time.

    Raises:
        EmptyLog: None of the files holds a number.
        CorruptLog: None of the files holds a number and some are damaged.
        ReadError: None of the files holds a number and some could not be opened.
    """
    raw = RawLog(name=paths[0].absolute().parent.name if paths else "", source=_describe_source(paths))
    refusals: list[str] = []
    damaged = False
    for path in sorted(paths, key=_find_start):
        reading = EventsReading(raw)
        try:
            reading = _read_file(path, reading, memory if len(paths) == 1 else NO_MEMORY)
        except OSError as error:
            refusals.append(f"{path.name} could not be read ({error.strerror or error})")
        raw, faults = reading.raw, reading.faults
        raw.notes.extend(faults.notes(path.name))
        damaged = damaged or faults.damaged > 0 or faults.lost_from is not None
    if not raw.columns:
        raise _make_refusal(raw, len(paths), refusals, damaged=damaged)
    raw.notes.extend(f"{refusal}: it was left out" for refusal in refusals)
    return [raw]


def _describe_source(paths: Sequence[Path]) -> str:
    return "" if not paths else str(paths[0] if len(paths) == 1 else paths[0].parent)


def _make_refusal(raw: RawLog, files: int, refusals: list[str], *, damaged: bool) -> ReadError:
    if refusals:
        seen = "; ".join(refusals)
        return ReadError(
            f"An event file must be readable: {seen}, looking at {raw.source}. Check its path and permissions."
        )
    if damaged:
        return CorruptLog(
            f"An event file must be whole to be read: {'; '.join(raw.notes)}, looking at {raw.source}, and no scalar "
            "came before. Copy it again from where it was written."
        )
    seen = f" ({'; '.join(raw.notes)})" if raw.notes else ""
    return EmptyLog(
        f"A TensorBoard log must hold at least one scalar: found none in {files} event file(s), looking at "
        f"{raw.source or 'no path'}{seen}. Log one with add_scalar, then flush or close the writer."
    )


def _find_start(path: Path) -> tuple[float, float, str]:
    """When a file was begun: by the stamp in its name, by its first event, or by its last change."""
    written = 0.0
    try:
        with path.open("rb") as file:
            written = _read_first_time(file.read(1024)) or path.stat().st_mtime
    except OSError:
        pass  # reading it will tell
    stamp = re.search(r"tfevents\.(\d{9,11})(?!\d)", path.name)
    return (float(stamp.group(1)) if stamp else written), written, path.name


def _read_first_time(head: bytes) -> float | None:
    length = read_length(head[:HEADER])
    if length is None:
        return None
    data = head[HEADER : HEADER + length]
    try:
        time = read_number(data, parse_event(data).time)
    except MalformedMessage:
        return None
    return time if 0 < time < float("inf") else None


def _read_file(path: Path, fresh: EventsReading, memory: ReadingMemory) -> EventsReading:
    """Reads one file into a log; the reading that was kept of it, where what was added holds only numbers."""
    kept = memory.recall(path, EventsReading)
    if kept is not None:
        start, reading = kept
        settings = dict(reading.raw.config)
        _read_records(path, reading, memory, start)
        # which of two settings of one name counts depends on the block that they stand in
        if reading.raw.config == settings:
            return reading
    _read_records(path, fresh, memory)
    return fresh


def _read_records(path: Path, reading: EventsReading, memory: ReadingMemory, start: int = 0) -> None:
    layouts, place = EventLayouts(), start
    with path.open("rb") as file:
        for block in read_blocks(file, reading.faults, start):
            _BlockReading(block, layouts, reading.raw, reading.faults).read()
            place = block.start + block.edges[-1]
    if reading.faults.is_passed:
        for builder in reading.raw.columns.values():
            builder.settle()
        memory.keep(path, place, reading)


class _BlockReading:
    """The reading of one block of a file into a log."""

    def __init__(self, block: RecordBlock, layouts: EventLayouts, raw: RawLog, faults: RecordFaults) -> None:
        self._layouts = layouts
        self._raw = raw
        self._faults = faults
        self._offset = block.start
        edges = np.array(block.edges, np.intp)
        self._starts = edges[:-1]
        self._lengths = np.diff(edges) - FRAME
        self._data = block.data + bytes(8)  # rows are cut to a multiple of 8 bytes
        self._points = _BlockPoints()

    def read(self) -> None:
        by_length = np.argsort(self._lengths, kind="stable")
        changes = np.flatnonzero(np.diff(self._lengths[by_length])) + 1
        for records in np.split(by_length, changes):
            if len(records) >= _FEW and self._lengths[records[0]] <= _WIDEST:
                self._read_rows(records, int(self._lengths[records[0]]))
            else:
                self._read_singly(records, checked=False)
        self._points.pour_into(self._raw)

    def _read_rows(self, records: Indices, length: int) -> None:
        rows = self._rows(records, length)
        checksums = np.ascontiguousarray(rows[:, length : length + 4]).view("<u4")[:, 0]
        sound = compute_masked_crc32c_of_rows(rows, length) == checksums
        if not sound.all():
            self._set_aside(records[~sound])
            records, rows = records[sound], rows[sound]
        words = np.ascontiguousarray(rows.view("<u8").T)
        unread = np.ones(len(records), np.bool_)
        first = misses = 0
        while first < len(records) and misses < _PATIENCE:
            event = self._event(int(records[first]), rows[first, :length].tobytes())
            unread[first] = False
            if event is not None and event.numbers:
                alike = _find_alike(words, first, event.fixed_bits(length, rows.shape[1]).view("<u8"))
                unread[alike] = False
                self._points.add_rows(records[alike], rows[alike], event)
                misses += len(alike) < _FEW
            else:
                misses += 1
            first += int(np.argmax(unread[first:])) if unread[first:].any() else len(records)
        self._read_singly(records[unread], checked=True)

    def _rows(self, records: Indices, length: int) -> Rows:
        """The data and the checksum of equally long records, and what little follows, one record a row."""
        width = (length + 4 + 7) // 8 * 8
        windows = np.ndarray((len(self._data) - width + 1,), f"V{width}", self._data, strides=(1,))
        return windows[self._starts[records] + HEADER].view(np.uint8).reshape(-1, width)

    def _read_singly(self, records: Indices, *, checked: bool) -> None:
        for record in records.tolist():
            start = int(self._starts[record]) + HEADER
            end = start + int(self._lengths[record])
            data = self._data[start:end]
            if not checked and compute_masked_crc32c(data) != int.from_bytes(self._data[end : end + 4], "little"):
                self._set_aside((record,))
                continue
            event = self._event(record, data)
            if event is not None and event.numbers:
                self._points.add_one(record, data, event)

    def _event(self, record: int, data: bytes) -> LoggedEvent | None:
        try:
            event = self._layouts.event(data)
        except MalformedMessage:
            self._set_aside((record,))
            return None
        self._raw.config.update(event.settings)
        for tag, text in event.texts:
            self._raw.config.update(_parse_settings(tag, text))
        return event

    def _set_aside(self, records: Sequence[int] | Indices) -> None:
        for record in records:
            self._faults.count_damaged(self._offset + int(self._starts[record]))


class _BlockPoints:
    """The points of one block by tag, each with the number of its record, by which they are put in order."""

    def __init__(self) -> None:
        self._pieces: dict[str, list[tuple[Indices, Array, Array, Array]]] = {}
        self._singles: dict[str, list[tuple[int, float, float, float]]] = {}

    def add_rows(self, records: Indices, rows: Rows, event: LoggedEvent) -> None:
        steps, times = read_numbers(rows, event.step), read_numbers(rows, event.time)
        for tag, place in event.numbers:
            self._pieces.setdefault(tag, []).append((records, steps, read_numbers(rows, place), times))

    def add_one(self, record: int, data: bytes, event: LoggedEvent) -> None:
        step, time = read_number(data, event.step), read_number(data, event.time)
        for tag, place in event.numbers:
            self._singles.setdefault(tag, []).append((record, step, read_number(data, place), time))

    def pour_into(self, raw: RawLog) -> None:
        for tag, singles in self._singles.items():
            records, steps, values, times = np.array(singles, np.float64).T
            self._pieces.setdefault(tag, []).append((records.astype(np.intp), steps, values, times))
        for tag, pieces in sorted(self._pieces.items(), key=lambda item: min(piece[0][0] for piece in item[1])):
            records, steps, values, times = (np.concatenate(column) for column in zip(*pieces, strict=True))
            order = np.argsort(records, kind="stable")
            raw.column(tag).extend(steps[order], values[order], times[order])


def _find_alike(words: NDArray[np.uint64], example: int, fixed: NDArray[np.uint64]) -> Indices:
    """Which columns of words agree with the example in all fixed bits; the last words, which tell most, go first."""
    alike: Indices | None = None
    for row, bits in zip(words[::-1], fixed[::-1], strict=True):
        if bits:
            same = ((row if alike is None else row[alike]) ^ row[example]) & bits == 0
            alike = np.flatnonzero(same) if alike is None else alike[same]
    return np.arange(words.shape[1]) if alike is None else alike


def _parse_settings(tag: str, text: str) -> dict[str, Any]:
    """The hyper-parameters in a logged text; those of a text that is not named for them go under its tag."""
    if len(text) > _LONGEST_TEXT:
        return {}
    found = _parse_table(text) or parse_mapping(text) or _parse_namespace(text)
    name = tag.removesuffix("/text_summary")
    return found if not found or _SETTINGS.fullmatch(name) else {name: found}


def _parse_table(text: str) -> dict[str, Any]:
    """The rows of a markdown table of two columns, as CleanRL logs its arguments."""
    rows = [line.strip() for line in text.strip().splitlines()]
    if len(rows) < 3 or not re.fullmatch(r"\|?[\s:-]+\|[\s:-]+\|?", rows[1]) or "-" not in rows[1]:
        return {}
    cells = [row.removeprefix("|").removesuffix("|").partition("|") for row in rows[2:] if "|" in row]
    return {name.strip(): value.strip() for name, _, value in cells if name.strip()}


def _parse_namespace(text: str) -> dict[str, Any]:
    """The plain values of a printed argparse namespace, as Tianshou's scripts log their arguments."""
    if len(text) > _LONGEST_NAMESPACE or not re.match(r"\s*\w*Namespace\(", text):
        return {}
    found: dict[str, Any] = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call = ast.parse(text.strip(), mode="eval").body
        for keyword in call.keywords if isinstance(call, ast.Call) else []:
            if keyword.arg and isinstance(keyword.value, ast.Constant | ast.List | ast.Tuple | ast.Dict | ast.UnaryOp):
                found[keyword.arg] = ast.literal_eval(keyword.value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        pass  # what was found before stays
    return found
