"""A trained policy known by its returns alone, from a log of evaluations or a plain list of numbers."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from weaklink.base.errors import TooLarge, UsageError
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import POLICY, TERMINATED, Play
from weaklink.base.limits import LARGEST_CONFIG, read_bounded
from weaklink.collect.readers import read

MEASURES = ("evaluation.return", "reward.episode_return")
MOST = 100


def read_returns(file: str) -> Play:
    """One step of reward for each return: lengths are not known."""
    values = _read_list(Path(file))
    if values is None:
        values = _read_log(file)
    values = values[np.isfinite(values)][-MOST:]
    if not len(values):
        raise UsageError(f"{file} has no returns. Give a JSON list of numbers, or a log of evaluations or episodes.")
    ones = np.ones(len(values), dtype=np.int64)
    return Play(
        policy=POLICY,
        told=f"returns of {file}",
        rewards=values,
        lengths=ones,
        ends=np.full(len(values), TERMINATED),
        returns_only=True,
    )


def _read_list(file: Path) -> Array | None:
    """The numbers of a JSON list, or of a text file with one on each line."""
    try:
        text = read_bounded(file, LARGEST_CONFIG, "A list of returns", "Give a log.").decode("utf-8")
        if text.lstrip()[:1] == "[":
            return np.asarray(json.loads(text), dtype=float).reshape(-1)
        return np.asarray([float(line) for line in text.split()], dtype=float)
    except (OSError, ValueError, TypeError, RecursionError, OverflowError, TooLarge):
        return None  # a log


def _read_log(file: str) -> Array:
    run = read(file)
    series = next((run[name] for name in MEASURES if name in run), None)
    return np.empty(0) if series is None else series.values
