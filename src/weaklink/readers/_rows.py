"""Rows of numbers to columns over steps: which key counts the steps, which one tells the time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np

from weaklink.readers.raw import RawLog, number_in

CHUNK = 2048
MOST_KEYS = 20_000
DEEPEST = 16
LONGEST_KEY = 200

# what the steps count -> the names that count it, both in the order in which they are preferred
AXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("step", "global_step", "_step", "trainer/global_step", "train/global_step",
          "training/global_step", "progress/step")),
    ("env_steps", ("time/total_timesteps", "total_timesteps", "timesteps_total", "num_env_steps_sampled_lifetime",
                   "env_runners/num_env_steps_sampled_lifetime", "num_env_steps_sampled", "totalenvinteracts",
                   "timesteps", "timestep", "num_timesteps", "total timesteps", "env_steps", "env_step",
                   "total_env_steps", "environment_steps", "total_steps", "misc/total_timesteps",
                   "total_frames", "num_frames", "frames",
                   "frame", "agent_steps", "steps")),
    ("iterations", ("training_iteration", "iteration", "iterations", "iter", "it", "time/iterations",
                    "learning iteration")),
    ("updates", ("update", "updates", "n_updates", "num_updates")),
    ("epochs", ("epoch", "epochs")),
    ("episodes", ("episode", "episodes", "episode_num", "num_episodes", "i_episode", "ep")),
)  # fmt: skip

TIMES = ("_timestamp", "timestamp", "wall_time", "walltime", "wall time", "time/time_elapsed", "time_total_s", "time",
         "elapsed_time", "elapsed", "total_time", "_runtime", "time_elapsed")  # fmt: skip

NO_METRICS = frozenset(
    ("step", "_step", "global_step", "_timestamp", "timestamp", "wall_time", "walltime", "wall time")
)
"""Counters and clocks that say nothing beyond the steps and times they give to the other columns."""

_RANK = {name: (rank, axis) for rank, (axis, name) in enumerate((axis, name) for axis, names in AXES for name in names)}


def numbers_in(row: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> dict[str, float]:
    """The numbers of a row by key, nested mappings flattened with `/`; what is no number is passed over."""
    found: dict[str, float] = {}
    for key, value in row.items():
        name = f"{prefix}{key}" if prefix or not isinstance(key, str) else key
        if isinstance(value, float):
            found[name] = value
        elif isinstance(value, dict):
            if depth < DEEPEST:
                found.update(numbers_in(value, f"{name}/", depth + 1))
        else:
            number = number_in(value)
            if number is not None:
                found[name] = number
    return found


def is_step_name(key: str) -> bool:
    """Whether a key is one of those that count steps."""
    return key.strip().lower() in _RANK


class Rows:
    """Takes the rows of one log and files their numbers under their keys, a chunk of rows at a time.

    The first chunk decides which key counts the steps and which tells the time. Rows without a step stand at the
    step of the row before; where no key counts steps, rows are counted.
    """

    def __init__(self, raw: RawLog, *, prefix: str = "") -> None:
        self.raw = raw
        self._prefix = prefix
        self._waiting: list[tuple[Mapping[str, float], float | None, float | None]] = []
        self._step_key: str | None = None
        self._time_key: str | None = None
        self._decided = False
        self._count = 0
        self._last_step = 0.0
        self._names: dict[str, str | None] = {}
        self._overflowing = False

    def add(self, numbers: Mapping[str, float], step: float | None = None, time: float | None = None) -> None:
        """Adds one row; a step or time given here outranks those found in the row."""
        self._waiting.append((numbers, step, time))
        if len(self._waiting) >= CHUNK:
            self.flush()

    def flush(self) -> None:
        """Files the rows that wait; call it once more after the last row."""
        if not self._waiting:
            return
        if not self._decided:
            self._decide()
        rows = [numbers for numbers, _, _ in self._waiting]
        steps = np.array([self._step_of(numbers, step) for numbers, step, _ in self._waiting])
        times = np.array([self._time_of(numbers, time) for numbers, _, time in self._waiting])
        self._waiting.clear()
        for key in dict.fromkeys(chain.from_iterable(rows)):
            name = self._name_of(key, float(steps[0]))
            if name is None:
                continue
            values = [numbers.get(key) for numbers in rows]
            there = slice(None) if None not in values else [at for at, value in enumerate(values) if value is not None]
            at = times[there]
            self.raw.column(name).extend(
                steps[there], [value for value in values if value is not None], None if np.isnan(at).any() else at
            )

    def _time_of(self, numbers: Mapping[str, float], given: float | None) -> float:
        if given is None:
            return numbers.get(self._time_key, math.nan) if self._time_key is not None else math.nan
        return given

    def _step_of(self, numbers: Mapping[str, float], given: float | None) -> float:
        self._count += 1
        if given is None:
            if self._step_key is None:
                return float(self._count - 1)
            given = numbers.get(self._step_key, math.nan)
        if math.isfinite(given):
            self._last_step = given
        return self._last_step

    def _name_of(self, key: str, step: float) -> str | None:
        """The name of a key's column, or None for counters, clocks and one key too many."""
        if key in self._names:
            return self._names[key]
        if len(self._names) >= MOST_KEYS:
            if not self._overflowing:
                self.raw.notes.append(f"more than {MOST_KEYS} keys: those first seen after step {step:g} were left out")
            self._overflowing = True
            return None
        self._names[key] = None if key.lower() in NO_METRICS else self._prefix + printable(key)
        return self._names[key]

    def _decide(self) -> None:
        self._decided = True
        rows = [numbers for numbers, _, _ in self._waiting]
        if any(time is None for _, _, time in self._waiting):
            self._time_key = time_key(rows)
        if all(step is not None for _, step, _ in self._waiting):
            return
        self._step_key, axis = step_key(rows)
        self.raw.axis = self.raw.axis or axis


def step_key(rows: Sequence[Mapping[str, float]]) -> tuple[str | None, str]:
    """The key that counts the steps of these rows and what it counts; no key and `rows` where none does.

    A counter seldom falls: a column such as `steps` that goes up and down is the length of episodes.
    """
    candidates = {key for row in rows for key in row if key.strip().lower() in _RANK}
    ranked = sorted(candidates, key=lambda key: _RANK[key.strip().lower()][0])
    rising = [key for key in ranked if _counts([row[key] for row in rows if key in row])]
    common = [key for key in rising if 2 * sum(key in row for row in rows) >= len(rows)]
    for key in common or rising:
        return key, _RANK[key.strip().lower()][1]
    return None, "rows"


def time_key(rows: Sequence[Mapping[str, float]]) -> str | None:
    """The key that tells when each row was written, or None."""
    present = {key.strip().lower(): key for row in rows for key in row}
    for name in TIMES:
        key = present.get(name)
        if key is not None and _mostly_rises((row[key] for row in rows if key in row), share=0.1):
            return key
    return None


def _counts(values: Sequence[float]) -> bool:
    stuck = len(values) > 4 and len(set(values)) == 1
    return not stuck and _mostly_rises(values)


def _mostly_rises(values: Iterable[float], share: float = 0.25) -> bool:
    finite = [value for value in values if math.isfinite(value)]
    if not finite:
        return False
    falls = sum(after < before for before, after in pairwise(finite))
    return falls <= max(share * (len(finite) - 1), 1)


def printable(key: str) -> str:
    """A key that any view can show: control characters and half characters marked, of bounded length."""
    key = key.strip()
    if not key.isprintable():
        key = "".join(character if character.isprintable() else "\ufffd" for character in key)
    return key[:LONGEST_KEY]
