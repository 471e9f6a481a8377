"""The `trainer_state.json` that Hugging Face trainers (TRL among them) keep in every checkpoint."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from weaklink.base.errors import CorruptLog
from weaklink.collect.readers._files import TextSource, clean, is_file, read_head
from weaklink.collect.readers._json import JsonScanner
from weaklink.collect.readers._rows import LogRows, flatten_numbers
from weaklink.collect.readers.raw import RawLog

NAME = "Hugging Face trainer_state.json"
LOOKS_FOR = "trainer_state.json"

SETTINGS = {
    "max_steps": "max_steps",
    "num_train_epochs": "num_train_epochs",
    "logging_steps": "logging_steps",
    "train_batch_size": "per_device_train_batch_size",
}
OPENING = 4096  # bytes that hold what a state says before its history
_HISTORY = re.compile(rb'^\{[^\[\]]*"log_history"\s*:\s*\[\s*[\{\]]')
_STATE = re.compile(r"trainer_state(?:\D*\d+)?")
_GLOBAL_STEP = re.compile(rb'"global_step"\s*:\s*(\d{1,15})')


def handles(path: Path) -> bool:
    """Whether the file is named as the trainer names its state, or holds one under another name."""
    if not is_file(path) or path.suffix.lower() != ".json":
        return False
    opening = read_head(path, OPENING).lstrip()
    return opening[:1] in (b"{", b"") if path.name == "trainer_state.json" else _HISTORY.search(opening) is not None


def find_others(paths: Sequence[Path]) -> list[Path]:
    """The states that are trainings of their own: named neither as the trainer does nor as a state of some step."""
    others = [path for path in paths if _STATE.fullmatch(path.stem) is None]
    return others if len(paths) > 1 else []


def newest(paths: Sequence[Path]) -> Path:
    """The state that was written last: each one holds the log from the start."""
    return max(paths, key=lambda path: (_read_global_step(path), -len(path.parts), path.parent.name))


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads the log of the newest checkpoint; the summary that ends a finished training is no row of it."""
    path = newest(paths)
    log = RawLog(source=str(path), framework="trl", axis="updates")
    parse(TextSource(path), log)
    return [log]


def parse(text: TextSource, log: RawLog) -> None:
    """Files the log history of a trainer state in the log."""
    rows = LogRows(log)
    scanner = JsonScanner(text.chunks())
    try:
        for key in scanner.members():
            if key == "log_history" and scanner.peek() == "[":
                for row in scanner.items():
                    _take(row, rows)
            else:
                _settle(key, scanner.value(), log)
    except ValueError as error:
        rows.flush()
        if not log.columns:
            where = clean(text.path or text.name)
            raise CorruptLog(f"{where} is no whole JSON ({error}). Take the state of another checkpoint.") from error
        log.notes.append(f"{text.name}: cut off or damaged: what comes after the last whole row was left out")
    rows.flush()


def _take(row: object, rows: LogRows) -> None:
    if isinstance(row, dict) and "train_runtime" not in row:
        numbers = flatten_numbers(row)
        if numbers:
            rows.add(numbers)


def _settle(key: str, value: object, log: RawLog) -> None:
    if key in SETTINGS and isinstance(value, int | float) and value > 0:
        log.config[SETTINGS[key]] = value
    if key == "trial_params" and isinstance(value, dict):
        log.config.update(value)


def _read_global_step(path: Path) -> int:
    found = _GLOBAL_STEP.search(read_head(path))
    return int(found.group(1)) if found is not None else -1
