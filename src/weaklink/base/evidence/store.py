"""The one on-disk format of weaklink: a folder with `weaklink.jsonl`, one line a row.

    {"weaklink": "0.1.0", "schema": 1, "created": 1700000000.0, "config": {...}, "context": {...}}
    {"step": 12, "time": 1.5, "metrics": {"policy.kl": 0.01, "optimizer.loss": "nan"}}
    {"finding": {...}}
    {"gap": {"start": 12, "end": 96, "updates": 7, "why": "budget"}}

The first line is the header; `time` is in seconds since `created`; a number that is not finite is written as the
string "nan", "inf" or "-inf". Lines of a kind that a reader does not know are passed over, and so is a line that was
cut off, so a recording can be read while it grows and after a crash.
"""

from __future__ import annotations

import math
import os
import time as clock
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np

from weaklink._version import __version__
from weaklink.base.backports import Self
from weaklink.base.errors import CorruptLog, ReadError, UsageError
from weaklink.base.evidence.lines import LineDamage, decode_line, note_end, parse_number, parse_row
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.limits import DEEPEST, LONGEST_LINE, BoundedLines

FILE = "weaklink.jsonl"
SCHEMA = 1
HEADER_START = b'{"weaklink":'
MOST_CUT_HEADERS = 8
"""How many lines may come before the header: a full disk cuts off every header that is tried."""
MOST_NONFINITE = 10_000
"""How many non-finite points of one series `save` writes out; the readers only count them."""


class Recording:
    """An open recording: every row is on disk when `write` returns.

    Args:
        folder: where `weaklink.jsonl` is kept; made where it does not exist. An older recording there is continued.
        config: hyper-parameters.
        context: what else is known of the run, such as its framework and name.
    """

    def __init__(
        self, folder: str | Path, *, config: Mapping[str, Any] | None = None, context: Mapping[str, Any] | None = None
    ) -> None:
        self.path = Path(folder) / FILE
        self._torn = False
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.created, fresh = _read_opening(self.path)
            self._file = FileIO(self.path, "a")
            self._describe(fresh, dict(config or {}), dict(context or {}))
        except OSError as error:
            raise UsageError(
                f"Cannot record into {folder}: {error.strerror}. Choose a folder that you may write."
            ) from error

    def _describe(self, fresh: bool, config: dict[str, Any], context: dict[str, Any]) -> None:
        header = {"weaklink": __version__, "schema": SCHEMA, "created": self.created} if fresh else {}
        try:
            if fresh or config or context:
                self._put({**header, "config": config, "context": context})
        except BaseException:
            self._file.close()
            raise

    def write(self, step: float, metrics: Mapping[str, float], time: float | None = None) -> None:
        """Adds one row; without a time, the seconds since the recording was created."""
        elapsed = clock.time() - self.created if time is None else time
        self._put({"step": step, "time": round(elapsed, 6), "metrics": dict(metrics)})

    def add(self, kind: str, content: object) -> None:
        """Adds a line of another kind, such as a finding."""
        self._put({kind: content})

    @property
    def is_there(self) -> bool:
        """Whether the file still lies where it was opened; one that was removed takes rows that nobody will read."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Ends the recording; a second call does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def append(self, content: bytes) -> None:
        """Adds a line as `encoded` gives it; after one that failed half-way, on a line of its own."""
        content = b"\n" + content if self._torn else content
        while content:  # a full disk or a pipe may take a part only
            taken = self._file.write(content) or 0
            self._torn = content[taken - 1 : taken] != b"\n" if taken else self._torn
            content = content[taken:]

    def _put(self, line: Mapping[str, Any]) -> None:
        self.append(encode_line(line))


def encode_line(line: Mapping[str, Any]) -> bytes:
    """A line of a recording as it is written; a configuration and a context without the secrets in them."""
    plain = _make_plain(line)
    for part in ("config", "context"):
        if isinstance(plain.get(part), dict):
            from weaklink.base.privacy import hide_in_mapping  # a reader needs none of it

            plain[part] = hide_in_mapping(plain[part])
    return _ENCODER.encode(plain) + b"\n"


def read_header(path: str | Path) -> dict[str, Any]:
    """The header of a recording, the configuration and context of its later parts taken in.

    Raises:
        ReadError: the recording is of a newer format than this version reads.
    """
    found: dict[str, Any] = {"config": {}, "context": {}}
    for line in read_lines(path):
        add_to_header(found, line)
    check_schema(found, path)
    return found


def add_to_header(found: dict[str, Any], line: Mapping[str, Any]) -> None:
    """Takes into a header what one more line of the recording says of it."""
    if "metrics" in line:
        return
    found.update({key: value for key, value in line.items() if key in ("weaklink", "schema", "created")})
    for part in ("config", "context"):
        if isinstance(line.get(part), dict):
            found[part].update(line[part])


def check_schema(found: Mapping[str, Any], path: str | Path) -> None:
    """Raises where a recording is of a newer format than this version reads."""
    if isinstance(found.get("schema"), int) and found["schema"] > SCHEMA:
        raise ReadError(
            f"{path} is a recording of format {found['schema']}, this version reads up to {SCHEMA}: upgrade weaklink."
        )


def read_rows(path: str | Path) -> Iterator[dict[str, Any]]:
    """The rows of a recording in the order of writing: `step`, `time` (or None) and `metrics`, all numbers floats."""
    for line in read_lines(path):
        row = parse_row(line)
        if row is not None:
            yield row


def read_lines(
    path: str | Path,
    damage: LineDamage | None = None,
    start: int = 0,
    ended: Callable[[int], None] = lambda place: None,
) -> Iterator[dict[str, Any]]:
    """Every whole line of a recording, whatever its kind; those that are damaged are passed over and counted.

    They begin at the byte `start`; `ended` is told where the last whole one ends, once all of them were given.
    """
    place = Path(path)
    place = place / FILE if place.is_dir() else place
    damage = LineDamage() if damage is None else damage
    try:
        with place.open("rb") as file:
            file.seek(start)
            for line in note_end(BoundedLines(file), start, ended):
                content = damage.decode(line)
                if content is not None:
                    yield content
    except OSError as error:
        raise ReadError(
            f"Cannot read {place}: {error.strerror}. Check that it is there and that you may read it."
        ) from error


def save(run: Run, folder: str | Path) -> Path:
    """Writes a run as a recording: its metrics and unknown keys by step, its configuration and what is known of it.

    Returns:
        the file written.

    Raises:
        UsageError: the folder holds a recording already.
    """
    target = Path(folder) / FILE
    if target.exists():
        raise UsageError(f"{target} exists already: choose another folder or remove it.")
    config = {**run.config.raw, **{key: value for key, value in run.config.values.items() if key not in run.config.raw}}
    context = {"name": run.name, "framework": run.framework, "source": run.source, "notes": list(run.notes)}
    with Recording(folder, config=config, context=context) as recording:
        for step, time, metrics in _merge_rows({**run.series, **run.unknown, **run.series}):
            recording._put({"step": step, "time": time, "metrics": metrics})
        for gap in run.gaps:
            recording.add("gap", msgspec.to_builtins(gap))
    return target


def _merge_rows(series: Mapping[str, Series]) -> Iterator[tuple[float, float | None, dict[str, float]]]:
    """The points of all series by step: one row a step, more where a series has several points at it."""
    merged: dict[tuple[float, int], dict[str, float]] = {}
    times: dict[tuple[float, int], float] = {}
    for name, one in series.items():
        seen: dict[float, int] = {}
        for index, (step, value) in enumerate(_list_points(one)):
            place = (step, seen.get(step, 0))
            seen[step] = place[1] + 1
            merged.setdefault(place, {})[name] = value
            if one.times is not None and index < len(one.times):
                times.setdefault(place, float(one.times[index]))
    for place in sorted(merged):
        yield place[0], times.get(place), merged[place]


def _list_points(series: Series) -> Iterator[tuple[float, float]]:
    yield from zip(series.steps.tolist(), series.values.tolist(), strict=True)
    bad = series.nonfinite
    if bad is None:
        return
    for index in range(min(bad.count, MOST_NONFINITE)):
        yield bad.first_step if index == 0 else bad.last_step, math.nan if index < bad.nan else math.inf


def _read_opening(path: Path) -> tuple[float, bool]:
    """When an older recording at this place was created, and whether a header is still to be written."""
    if not path.exists() or path.stat().st_size == 0:
        return clock.time(), True
    with path.open("rb+") as file:
        first = file.readline(LONGEST_LINE)
        opening = [first, *(file.readline(LONGEST_LINE) for _ in range(MOST_CUT_HEADERS))]
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
    headers = [line for line in map(decode_line, opening) if line is not None and "weaklink" in line]
    if headers:
        created = parse_number(headers[0].get("created"))
        return (created if created is not None else clock.time()), False
    if begins_recording(first):  # cut off within the header
        return clock.time(), True
    raise CorruptLog(f"{path} is no recording of weaklink. Choose another folder to record into.")


def begins_recording(first: bytes) -> bool:
    """Whether these bytes can be the first line of a recording, or what is left of it."""
    return first.startswith(HEADER_START) or HEADER_START.startswith(first.strip())


def _make_plain(value: Any, around: tuple[int, ...] = ()) -> Any:
    """A value as JSON can hold it: numbers that are not finite as words, arrays as lists, the rest as text.

    `around` are the containers that it lies in: what holds itself, or lies too deep, is cut off there.
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Mapping | list | tuple | set | frozenset):
        if id(value) in around or len(around) > 2 * DEEPEST:
            return "..."
        around = (*around, id(value))
        if isinstance(value, Mapping):
            return {str(key): _make_plain(part, around) for key, part in value.items()}
        return [_make_plain(part, around) for part in value]
    if isinstance(value, str):
        return str(value) if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, bool | None):
        return value
    return int(value) if _is_short(value) else _convert_to_text(value)


def _is_short(value: object) -> bool:
    """Whether it is a whole number that every reader of JSON can hold."""
    return isinstance(value, int) and -(1 << 63) <= value < 1 << 64


def _convert_to_text(value: Any) -> Any:
    """Zero-dimensional tensors as their number, anything else as text."""
    with suppress(Exception):
        return _make_plain(float(value))
    try:
        return _make_plain(str(value))
    except Exception:  # a thing that cannot even be named
        return f"<{type(value).__name__}>"


_ENCODER = msgspec.json.Encoder()
