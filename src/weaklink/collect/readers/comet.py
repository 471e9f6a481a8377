"""Comet: the `<key>.zip` that an offline experiment leaves, read without comet_ml."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from weaklink.base.errors import CorruptLog, TooLarge
from weaklink.base.limits import LONGEST_LINE, MOST_KEYS, BoundedLines
from weaklink.collect.readers._files import read_head
from weaklink.collect.readers._trackers import (
    keep_logs_with_numbers,
    parse_finite,
    parse_mapping,
    parse_seconds,
    read_each,
)
from weaklink.collect.readers._zip import open_part, open_zip
from weaklink.collect.readers.raw import RawLog, parse_number

NAME = "Comet offline"
LOOKS_FOR = "<experiment key>.zip of Comet"

ZIP_MAGIC = b"PK\x03\x04"
MESSAGES = "messages.json"
PARTS = {"experiment.json", MESSAGES}
MOST_BYTES = 1024**3
CURE = "Run it to its end with experiment.end(), or name another file."
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, NotImplementedError)
"""What zipfile raises on a damaged archive, and on a password or an unknown way of packing (RuntimeError)."""

COUNTERS = frozenset(("curr_step", "curr_epoch"))


def handles(path: Path) -> bool:
    """Whether this is the archive of an offline experiment."""
    if path.suffix != ".zip" or read_head(path, len(ZIP_MAGIC)) != ZIP_MAGIC:
        return False
    try:
        with open_zip(path) as archive:
            return set(archive.namelist()) >= PARTS
    except (*BROKEN, OSError, TooLarge):
        return False


def read(paths: Sequence[Path]) -> list[RawLog]:
    """The experiments in these archives, one an archive.

    Raises:
        ReadError: no archive holds an experiment that can be read.
    """
    return read_each(paths, _read_archive)


def _read_archive(path: Path) -> list[RawLog]:
    experiment = _Experiment(RawLog(name=path.stem, source=str(path)))
    damage: list[str] = []
    try:
        with open_zip(path) as archive, open_part(archive, MESSAGES, path) as messages:
            for line in _read_lines(messages, damage):
                experiment.take(line)
    except PermissionError:
        raise
    except (*BROKEN, OSError) as error:
        damage.append(f"{MESSAGES} is damaged: it was read up to there ({error})")
    except KeyError:
        raise CorruptLog(f"A Comet archive must hold {MESSAGES}: {path} holds none. {CURE}") from None
    if experiment.unread:
        damage.append(f"{experiment.unread} line(s) of {MESSAGES} hold no JSON: they were left out")
    return keep_logs_with_numbers([experiment.raw], path, CURE, damage)


def _read_lines(messages: IO[bytes], damage: list[str]) -> Iterator[bytes]:
    """The lines of the messages up to a sum of bytes, so that no archive can unpack without end."""
    taken = 0
    lines = BoundedLines(messages)
    for _, line in lines:
        taken += LONGEST_LINE if line is None else len(line)
        if taken > MOST_BYTES:
            damage.append(f"{MESSAGES} holds more than {MOST_BYTES} bytes: the rest was left out")
            return
        if line is not None:
            yield line
    if lines.overlong:
        damage.append(
            f"{lines.overlong} line(s) of {MESSAGES} are longer than {LONGEST_LINE} bytes: they were left out"
        )


class _Experiment:
    """Takes the messages of one experiment into its log."""

    def __init__(self, raw: RawLog) -> None:
        self.raw = raw
        self.unread = 0
        self._rows: dict[str, int] = {}

    def take(self, line: bytes) -> None:
        """Takes one message in; those that tell nothing of the training are passed over."""
        message = parse_mapping(line)
        if message is None:
            self.unread += bool(line.strip())
            return
        payload = message.get("payload")
        if not isinstance(payload, dict):
            return
        kind, metric, parameter = message.get("type"), payload.get("metric"), payload.get("param")
        if kind == "metric_msg" and isinstance(metric, dict):
            self._take_metric(metric, payload)
        elif kind == "parameter_msg" and isinstance(parameter, dict):
            self._take_parameter(parameter)
        elif kind == "log_other" and payload.get("key") == "Name" and payload.get("value"):
            self.raw.name = str(payload["value"])

    def _take_metric(self, metric: Mapping[str, Any], payload: Mapping[str, Any]) -> None:
        value = parse_number(metric.get("metricValue"))
        if value is None:
            return
        context = payload.get("context")
        key = f"{context}_{metric.get('metricName')}" if context else str(metric.get("metricName"))
        row = self._rows.get(key, -1) + 1
        if row or len(self._rows) < MOST_KEYS:
            self._rows[key] = row
        step = parse_finite(metric.get("step"))
        self.raw.column(key).add(
            float(row) if step is None else step, value, parse_seconds(payload.get("local_timestamp"))
        )

    def _take_parameter(self, parameter: Mapping[str, Any]) -> None:
        name = str(parameter.get("paramName"))
        if name not in COUNTERS:
            self.raw.config[name.replace("|", ".")] = parameter.get("paramValue")
