"""Episode by episode: the `monitor.csv` files that SB3's Monitor writes, one an environment."""

from __future__ import annotations

import csv
import heapq
import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weaklink.base.errors import ReadError
from weaklink.collect.readers._files import decode_text, is_file, make_natural_key, make_read_error, read_head
from weaklink.collect.readers._rows import LogRows
from weaklink.collect.readers.raw import RawLog, parse_number

NAME = "SB3 monitor"
LOOKS_FOR = "*.monitor.csv"

NATIVE = {"r": "monitor/return", "l": "monitor/length"}
FLAGS = {"True": 1.0, "False": 0.0}
_EVALUATION = re.compile(r"(^|[^a-z])(eval|evaluation|test)([^a-z]|$)")
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class MonitorEpisode:
    """One finished episode: when it ended, how long it was, and what was logged of it."""

    time: float
    length: float
    row: dict[str, float]


def handles(path: Path) -> bool:
    """Whether the file is one of SB3's Monitor, by its name and its commented first line."""
    if not path.name.lower().endswith("monitor.csv") or not is_file(path):
        return False
    opening = read_head(path, 4096)
    return opening.startswith(b"#") or opening[:2] == b"r," or not opening


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads the monitors of one run: steps are the lengths of all environments' episodes summed up in order of time."""
    training = [path for path in paths if not _EVALUATION.search(path.name.lower())] or list(paths)
    evaluation = [path for path in paths if path not in training]
    log = _merge(training, "")
    if evaluation:
        log.absorb(_merge(evaluation, "eval_"))
    return [log]


def _merge(paths: Sequence[Path], prefix: str) -> RawLog:
    log = RawLog(source=str(paths[0].parent if len(paths) > 1 else paths[0]), framework="sb3", axis="env_steps")
    sources = [_MonitorFile(path, log) for path in sorted(paths, key=lambda path: make_natural_key(path.name))]
    if len(sources) > 1:
        log.config.setdefault("n_envs", len(sources))
    rows = LogRows(log, prefix=prefix)
    taken = 0.0
    for episode in heapq.merge(*sources, key=lambda episode: episode.time):
        taken += episode.length
        rows.add(episode.row, taken, episode.time)
    if not taken and not prefix:
        rows.add({"monitor/episodes": 0.0}, 0.0, None)
    rows.flush()
    damaged = sum(source.damaged for source in sources)
    if damaged:
        log.notes.append(f"monitor.csv: {damaged} cut off or damaged rows left out")
    return log


class _MonitorFile:
    """The episodes of one file in order of time; the file is not held open, since there may be one an environment."""

    def __init__(self, path: Path, log: RawLog) -> None:
        self.path = path
        self.damaged = 0
        self._start = 0.0
        header = _parse_header(decode_text(read_head(path, 4096)))
        start = parse_number(header.get("t_start"))
        if start is not None and math.isfinite(start):
            self._start = start
        env_id = header.get("env_id")
        if isinstance(env_id, str) and env_id not in ("", "None"):
            log.config.setdefault("env_id", env_id)

    def __iter__(self) -> Iterator[MonitorEpisode]:
        names: list[str] = []
        offset = last = 0.0
        for cells in self._rows():
            if "r" in cells and "l" in cells:
                names = [_map_key(cell.strip()) for cell in cells]
                continue
            row = _parse_numbers(names, cells)
            length = row.get("monitor/length", math.nan)
            if len(cells) < len(names) or "monitor/return" not in row or not 0 <= length < math.inf:
                self.damaged += 1
                continue
            elapsed = row.pop("monitor/t", math.nan)
            elapsed = elapsed if math.isfinite(elapsed) else last
            if elapsed < last:  # the training was resumed: its clock began anew
                offset += last
            last = elapsed
            yield MonitorEpisode(self._start + offset + elapsed, length, row)

    def _rows(self) -> Iterator[list[str]]:
        for line in _read_lines(self.path):
            if line.startswith("#") or not line.strip():
                continue
            if '"' not in line:
                yield line.split(",")
                continue
            try:
                yield next(csv.reader([line]), [])
            except csv.Error:
                self.damaged += 1


def _parse_numbers(names: Sequence[str], cells: Sequence[str]) -> dict[str, float]:
    row: dict[str, float] = {}
    for name, cell in zip(names, cells, strict=False):
        try:
            row[name] = float(cell)
        except ValueError:
            number = FLAGS.get(cell.strip())
            if number is not None:
                row[name] = number
    return row


def _read_lines(path: Path) -> Iterator[str]:
    """The lines of a file that is opened anew for every block."""
    place, rest = 0, b""
    while True:
        try:
            with path.open("rb") as file:
                file.seek(place)
                block = file.read(_BLOCK)
        except OSError as error:
            raise make_read_error(path, error) from error
        if not block:
            break
        place += len(block)
        *whole, rest = (rest + block).split(b"\n")
        if len(rest) > 16 * _BLOCK:
            raise ReadError(f"{path.name} has a line of over a million bytes: it is no monitor file.")
        yield from decode_text(b"\n".join(whole)).split("\n")
    if rest:
        yield decode_text(rest)


def _parse_header(text: str) -> dict[str, Any]:
    first = text.partition("\n")[0]
    try:
        header = json.loads(first.lstrip("#"))
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _map_key(key: str) -> str:
    return NATIVE.get(key, f"monitor/{key}")
