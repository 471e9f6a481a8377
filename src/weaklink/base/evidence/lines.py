"""The lines of a recording: decoded one by one, and counted where they are damaged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

import msgspec

WORDS = {"cut_off": "cut off", "no_json": "not JSON", "wrong_types": "of wrong types", "too_long": "too long"}


class LineDamage(msgspec.Struct):
    """The lines of a recording that could not be read, counted by what is wrong with them."""

    cut_off: int = 0
    no_json: int = 0
    wrong_types: int = 0
    too_long: int = 0

    @property
    def counts(self) -> dict[str, int]:
        """The kinds of damage that there are."""
        return {kind: count for kind, count in msgspec.structs.asdict(self).items() if count}

    @property
    def notes(self) -> list[str]:
        """The damage in words, for the notes of a run."""
        if not self.counts:
            return []
        told = ", ".join(f"{count} {WORDS[kind]}" for kind, count in self.counts.items())
        total = sum(self.counts.values())
        return [f"{total} damaged {'line' if total == 1 else 'lines'} of the recording left out ({told})"]

    def decode(self, content: bytes | None) -> dict[str, Any] | None:
        """The line that these bytes hold; None, and counted, where they hold none or are more than a line may have."""
        line = None if content is None else decode_line(content)
        if content is None:
            self.too_long += 1
        elif line is None and (text := content.strip()):
            if text.startswith(b"{") and not text.endswith(b"}"):
                self.cut_off += 1
            else:
                self.no_json += 1
        return line

    def parse_row(self, line: Mapping[str, Any]) -> dict[str, Any] | None:
        """The row that a line holds, as `parse_row` gives it; one that has something else for a number is counted."""
        row = parse_row(line)
        meant = "metrics" in line or "step" in line
        if meant and (row is None or len(row["metrics"]) < len(line["metrics"])):
            self.wrong_types += 1
        return row


def note_end(
    lines: Iterable[tuple[int, bytes | None]], start: int, ended: Callable[[int], None]
) -> Iterator[bytes | None]:
    """The same lines; `ended` is told the place behind the last whole one, before one that is torn is given.

    Where a line was left out since it is too long, the place is not known, and nothing is told.
    """
    place, known = start, True
    for _, line in lines:
        if line is None:
            known = False
        elif line.endswith(b"\n"):
            place += len(line)
        elif known:
            ended(place)
            known = False
        yield line
    if known:
        ended(place)


def decode_line(line: bytes) -> dict[str, Any] | None:
    """A line as it was written, or None where it was cut off or is no object."""
    with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        content = msgspec.json.decode(line)
        return content if isinstance(content, dict) else None
    return None


def parse_row(line: Mapping[str, Any]) -> dict[str, Any] | None:
    """The row that a line holds, or None where it is a line of another kind."""
    step, metrics = parse_number(line.get("step")), line.get("metrics")
    if not isinstance(metrics, dict) or step is None:
        return None
    if all(type(value) is float for value in metrics.values()):  # nearly every row, and most of the time of a reading
        numbers = metrics
    else:
        numbers = {key: number for key, value in metrics.items() if (number := parse_number(value)) is not None}
    return {"step": step, "time": parse_number(line.get("time")), "metrics": numbers}


def parse_number(value: object) -> float | None:
    """A number of a recording: a JSON number, or the word for one that is not finite; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and value not in ("nan", "inf", "-inf"):
        return None
    with suppress(OverflowError):
        return float(value)
    return None
