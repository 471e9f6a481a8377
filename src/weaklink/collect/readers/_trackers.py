"""What the readers of experiment trackers share: values as trackers write them, and logs of which some are damaged."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from weaklink.base.errors import CorruptLog, EmptyLog, ReadError
from weaklink.base.limits import DEEPEST
from weaklink.collect.readers._files import make_read_error
from weaklink.collect.readers._rows import flatten_numbers
from weaklink.collect.readers.raw import RawLog, parse_number


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; `NaN` and `Infinity` may stand in it, and very long whole numbers are floats.

    Raises:
        ValueError: the text is no JSON.
    """
    try:
        return json.loads(text, parse_int=_parse_integer)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _parse_integer(digits: str) -> int | float:
    return int(digits) if len(digits) < 20 else float(digits)


def parse_mapping(text: object) -> dict[str, Any] | None:
    """The JSON object that a text holds, or None where it holds none."""
    if not isinstance(text, str | bytes):
        return None
    try:
        value = parse_json(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def extract_numbers(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a logged row, nested keys joined by `/`; media and histograms (`_type`) are left."""
    return flatten_numbers(_drop_media(row))


def _drop_media(row: Mapping[str, Any], depth: int = 0) -> dict[str, Any]:
    return {
        key: _drop_media(value, depth + 1) if isinstance(value, dict) else value
        for key, value in row.items()
        if not isinstance(value, dict) or (depth < DEEPEST and "_type" not in value)
    }


def parse_finite(value: object) -> float | None:
    """A step or a time as a number; None for what is none or is not finite."""
    number = parse_number(value)
    return number if number is not None and math.isfinite(number) else None


def parse_seconds(milliseconds: object) -> float | None:
    """A time in milliseconds as seconds; None for what is no time."""
    number = parse_finite(milliseconds)
    return None if number is None else number / 1000.0


def read_each(paths: Sequence[Path], read_one: Callable[[Path], Iterable[RawLog]]) -> list[RawLog]:
    """Reads one path after another; one that cannot be read is a remark as long as another can.

    Raises:
        ReadError: no path gave a log.
    """
    logs: list[RawLog] = []
    troubles: list[ReadError] = []
    for path in paths:
        try:
            logs.extend(read_one(path))
        except ReadError as trouble:
            troubles.append(trouble)
        except OSError as error:
            troubles.append(make_read_error(path, error))
    if not logs:
        raise (troubles[0] if troubles else EmptyLog("A log is needed: no path was given. Name a file or a folder."))
    logs[0].notes.extend(str(trouble) for trouble in troubles)
    return logs


def make_names_unique(runs: Mapping[str, RawLog]) -> list[RawLog]:
    """The runs by their id, as a list; to the name that several share, the start of the id is added."""
    shared = Counter(raw.name for raw in runs.values())
    for run, raw in runs.items():
        if shared[raw.name] > 1:
            raw.name = f"{raw.name} ({run[:8]})"
    return list(runs.values())


def keep_logs_with_numbers(logs: Iterable[RawLog], path: Path, cure: str, damage: Sequence[str] = ()) -> list[RawLog]:
    """The logs that hold a number, with the remarks on the damage of their file.

    Raises:
        CorruptLog: none does, and the file is damaged.
        EmptyLog: none does.
    """
    full = [raw for raw in logs if raw.columns]
    for raw in full:
        raw.notes.extend(damage)
    if full:
        return full
    if damage:
        raise CorruptLog(f"A log must be whole up to its first number: {path} is not ({damage[0]}). {cure}")
    raise EmptyLog(f"A log must hold a number: {path} holds none. {cure}")
