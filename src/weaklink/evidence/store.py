"""The one on-disk format of weaklink: a folder with `weaklink.jsonl`, one line a row.

    {"weaklink": "0.1.0", "schema": 1, "created": 1700000000.0, "config": {...}, "context": {...}}
    {"step": 12, "time": 1.5, "metrics": {"policy.kl": 0.01, "optimizer.loss": "nan"}}
    {"finding": {...}}

The first line is the header; `time` is in seconds since `created`; a number that is not finite is written as the
string "nan", "inf" or "-inf". Lines of a kind that a reader does not know are passed over, and so is a line that was
cut off, so a recording can be read while it grows and after a crash.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import FileIO
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec
import numpy as np

from weaklink._version import __version__
from weaklink.errors import CorruptLog, ReadError, UsageError
from weaklink.evidence.run import Run
from weaklink.evidence.series import Series

FILE = "weaklink.jsonl"
SCHEMA = 1
LONGEST_LINE = 1 << 26
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
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._created, fresh = _opening_of(self.path)
            self._file = FileIO(self.path, "a")
        except OSError as error:
            raise UsageError(
                f"Cannot record into {folder}: {error.strerror}. Choose a folder that you may write."
            ) from error
        if fresh:
            header = {"weaklink": __version__, "schema": SCHEMA, "created": self._created}
            self._put({**header, "config": dict(config or {}), "context": dict(context or {})})
        elif config or context:
            self._put({"config": dict(config or {}), "context": dict(context or {})})

    def write(self, step: float, metrics: Mapping[str, float], time: float | None = None) -> None:
        """Adds one row; without a time, the seconds since the recording was created."""
        elapsed = clock.time() - self._created if time is None else time
        self._put({"step": step, "time": round(elapsed, 6), "metrics": dict(metrics)})

    def add(self, kind: str, content: Any) -> None:
        """Adds a line of another kind, such as a finding."""
        self._put({kind: content})

    def close(self) -> None:
        """Ends the recording; a second call does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _put(self, line: Mapping[str, Any]) -> None:
        content = _ENCODER.encode(_plain(line)) + b"\n"
        while content:  # a full disk or a pipe may take a part only
            content = content[self._file.write(content) or 0 :]


def header(path: str | Path) -> dict[str, Any]:
    """The header of a recording, the configuration and context of its later parts taken in.

    Raises:
        ReadError: the recording is of a newer format than this version reads.
    """
    found: dict[str, Any] = {"config": {}, "context": {}}
    for line in lines(path):
        if "metrics" in line:
            continue
        found.update({key: value for key, value in line.items() if key in ("weaklink", "schema", "created")})
        for part in ("config", "context"):
            if isinstance(line.get(part), dict):
                found[part].update(line[part])
    if isinstance(found.get("schema"), int) and found["schema"] > SCHEMA:
        raise ReadError(
            f"{path} is a recording of format {found['schema']}, this version reads up to {SCHEMA}: upgrade weaklink."
        )
    return found


def rows(path: str | Path) -> Iterator[dict[str, Any]]:
    """The rows of a recording in the order of writing: `step`, `time` (or None) and `metrics`, all numbers floats."""
    for line in lines(path):
        step, metrics = line.get("step"), line.get("metrics")
        if not isinstance(metrics, dict) or _number(step) is None:
            continue
        numbers = {key: number for key, value in metrics.items() if (number := _number(value)) is not None}
        yield {"step": _number(step), "time": _number(line.get("time")), "metrics": numbers}


def lines(path: str | Path) -> Iterator[dict[str, Any]]:
    """Every whole line of a recording, whatever its kind; lines that were cut off are passed over."""
    place = Path(path)
    place = place / FILE if place.is_dir() else place
    try:
        with place.open("rb") as file:
            while line := file.readline(LONGEST_LINE):
                decoded = _decoded(line)
                if decoded is not None:
                    yield decoded
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
        for step, time, metrics in _rows_of({**run.series, **run.unknown, **run.series}):
            recording._put({"step": step, "time": time, "metrics": metrics})
    return target


def _rows_of(series: Mapping[str, Series]) -> Iterator[tuple[float, float | None, dict[str, float]]]:
    """The points of all series by step: one row a step, more where a series has several points at it."""
    merged: dict[tuple[float, int], dict[str, float]] = {}
    times: dict[tuple[float, int], float] = {}
    for name, one in series.items():
        seen: dict[float, int] = {}
        for index, (step, value) in enumerate(_points(one)):
            place = (step, seen.get(step, 0))
            seen[step] = place[1] + 1
            merged.setdefault(place, {})[name] = value
            if one.times is not None and index < len(one.times):
                times.setdefault(place, float(one.times[index]))
    for place in sorted(merged):
        yield place[0], times.get(place), merged[place]


def _points(series: Series) -> Iterator[tuple[float, float]]:
    yield from zip(series.steps.tolist(), series.values.tolist(), strict=True)
    bad = series.nonfinite
    if bad is None:
        return
    for index in range(min(bad.count, MOST_NONFINITE)):
        yield bad.first_step if index == 0 else bad.last_step, math.nan if index < bad.nan else math.inf


def _opening_of(path: Path) -> tuple[float, bool]:
    """When an older recording at this place was created, and whether a header is still to be written."""
    if not path.exists() or path.stat().st_size == 0:
        return clock.time(), True
    with path.open("rb+") as file:
        first, more = _decoded(file.readline(LONGEST_LINE)), file.readline(LONGEST_LINE)
        file.seek(-1, 2)
        if file.read(1) != b"\n":
            file.write(b"\n")
    if first is None and not more:  # cut off within the header
        return clock.time(), True
    if first is None or "weaklink" not in first:
        raise CorruptLog(f"{path} is no recording of weaklink. Choose another folder to record into.")
    created = _number(first.get("created"))
    return (created if created is not None else clock.time()), False


def _decoded(line: bytes) -> dict[str, Any] | None:
    with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        decoded = msgspec.json.decode(line)
        return decoded if isinstance(decoded, dict) else None
    return None


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and value not in ("nan", "inf", "-inf"):
        return None
    with suppress(OverflowError):
        return float(value)
    return None


def _plain(value: Any) -> Any:
    """A value as JSON can hold it: numbers that are not finite as words, arrays as lists, the rest as text."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(part) for part in value]
    return value if isinstance(value, str | int | bool | None) else _as_text(value)


def _as_text(value: Any) -> Any:
    """Zero-dimensional tensors as their number, anything else as text."""
    with suppress(Exception):
        return _plain(float(value))
    return str(value)


_ENCODER = msgspec.json.Encoder()
