"""RLlib and Ray Tune trials: `result.json`, one nested row a line, the whole configuration on every one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from weaklink.collect.readers._files import TextSource, format_count, is_file, read_head
from weaklink.collect.readers._rows import LogRows, flatten_numbers
from weaklink.collect.readers.raw import RawLog

NAME = "RLlib result.json"
LOOKS_FOR = "result.json"

MARKS = (b'"training_iteration"', b'"timesteps_total"', b'"hist_stats"', b'"env_runners"', b'"time_total_s"')
NO_METRICS = frozenset(("config", "hist_stats", "date", "hostname", "node_ip", "pid", "trial_id", "experiment_id",
                        "done", "experiment_tag", "should_checkpoint", "warmup_time"))  # fmt: skip
ALWAYS_NAN = ("num_trainable_parameters", "num_non_trainable_parameters")
_DECODER = json.JSONDecoder()


def handles(path: Path) -> bool:
    """Whether the file is named result.json and holds, or may yet hold, rows of Ray Tune."""
    if path.name != "result.json" or not is_file(path):
        return False
    opening = read_head(path, 1 << 20)
    return not opening or any(mark in opening for mark in MARKS)


def read(paths: Sequence[Path]) -> list[RawLog]:
    """Reads the rows of one trial and, once, its configuration."""
    log = RawLog(source=str(paths[0]), framework="rllib")
    for path in paths:
        part = RawLog()
        _parse(TextSource(path), part)
        log.absorb(part)
    return [log]


def _parse(text: TextSource, log: RawLog) -> None:
    rows = LogRows(log)
    lines = text.lines()
    damaged = 0
    settings = ""
    for line in lines:
        row = _load(line.replace(settings, "null", 1) if settings else line)
        if not isinstance(row, dict):
            damaged += bool(line.strip())
            continue
        config = row.get("config")
        if isinstance(config, dict) and config:
            log.config.update(config)
            settings = settings or _find_config_text(line, config)
        kept = {key: value for key, value in row.items() if key not in NO_METRICS}
        rows.add({key: value for key, value in flatten_numbers(kept).items() if not key.endswith(ALWAYS_NAN)})
    rows.flush()
    remarks = lines.remarks
    if damaged:
        remarks.append(f"{format_count(damaged, 'cut off or damaged line')} left out")
    log.notes.extend(f"{text.name}: {remark}" for remark in remarks)


def _find_config_text(line: str, config: dict[str, Any]) -> str:
    """The configuration as the line has it, so that it need not be decoded again on every other line."""
    start = line.find('"config": ') + len('"config": ')
    try:
        value, end = _DECODER.raw_decode(line, start)
    except (ValueError, RecursionError):
        return ""
    return line[start:end] if value == config else ""


def _load(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
