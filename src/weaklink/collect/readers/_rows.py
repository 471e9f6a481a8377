"""Rows of numbers to columns over steps: which key counts the steps, which one tells the time."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, islice, pairwise
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array
from weaklink.base.limits import DEEPEST, LARGEST_STEP, MOST_KEYS
from weaklink.collect.readers._lot import ColumnLot
from weaklink.collect.readers.raw import RawLog, make_key_printable, parse_number

CHUNK, CELLS = 2048, 1 << 20
"""Rows and numbers that wait to be filed: wide rows take a hundred bytes a number."""


# what the steps count -> the names that count it, both in the order in which they are preferred
AXES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("", ("step", "global_step", "_step", "trainer/global_step", "train/global_step",
          "training/global_step", "progress/step")),
    ("env_steps", ("time/total_timesteps", "total_timesteps", "timesteps_total", "num_env_steps_sampled_lifetime",
                   "env_runners/num_env_steps_sampled_lifetime", "num_env_steps_sampled", "totalenvinteracts",
                   "timesteps", "timestep", "num_timesteps", "total timesteps", "env_steps", "env_step",
                   "total_env_steps", "environment_steps", "total_steps", "misc/total_timesteps",
                   "totalenvsteps", "total_frames", "num_frames", "frames",
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


def flatten_numbers(row: Mapping[Any, Any], prefix: str = "", depth: int = 0) -> dict[str, float]:
    """The numbers of a row by key, nested mappings flattened with `/`; what is no number is passed over."""
    found: dict[str, float] = {}
    for key, value in row.items():
        name = f"{prefix}{key}" if prefix or not isinstance(key, str) else key
        if isinstance(value, float):
            found[name] = value
        elif isinstance(value, dict):
            if depth < DEEPEST:
                found.update(flatten_numbers(value, f"{name}/", depth + 1))
        else:
            number = parse_number(value)
            if number is not None:
                found[name] = number
    return found


def is_step_name(key: str) -> bool:
    """Whether a key is one of those that count steps."""
    return key.strip().lower() in _RANK


class RowBlock(NamedTuple):
    """Many rows under the same names; `missing` marks the cells that are empty, None where none is."""

    names: tuple[str, ...]
    values: Array
    missing: NDArray[np.bool_] | None = None

    def rows(self, names: Collection[str], most: int) -> list[dict[str, float]]:
        """The first rows one by one, with these names alone."""
        places = [(place, name) for place, name in enumerate(self.names) if name in names]
        gone = self.missing
        return [
            {name: float(row[place]) for place, name in places if gone is None or not gone[at, place]}
            for at, row in enumerate(self.values[:most])
        ]


Row = tuple[Mapping[str, float], float | None, float | None]


class LogRows:
    """Takes the rows of one log and files their numbers under their keys, a chunk of rows at a time.

    The first chunk decides which key counts the steps and which tells the time. Rows without a step, or with one that
    no counter can reach, stand at the step of the row before; where no key counts steps, rows are counted.
    """

    def __init__(self, raw: RawLog, *, prefix: str = "") -> None:
        self.raw = raw
        self._prefix = prefix
        self._waiting: list[Row | RowBlock] = []
        self._waiting_rows = self._waiting_cells = 0
        self._step_key: str | None = None
        self._time_key: str | None = None
        self._decided = False
        self._count = 0
        self._last_step = 0.0
        self._names: dict[str, str | None] = {}
        self._overflowing = False
        self._unreachable = 0
        self._lot = ColumnLot(raw)

    def add(self, numbers: Mapping[str, float], step: float | None = None, time: float | None = None) -> None:
        """Adds one row; a step or time given here outranks those found in the row."""
        if len(numbers) > MOST_KEYS:
            self._say_overflow(self._last_step if step is None else step)
            numbers = dict(islice(numbers.items(), MOST_KEYS))
        self._waiting.append((numbers, step, time))
        self._waiting_rows += 1
        self._waiting_cells += len(numbers)
        if self._waiting_rows >= CHUNK or self._waiting_cells >= CELLS:
            self._file()

    def add_block(self, block: RowBlock) -> None:
        """Adds many rows, which hold their steps and times themselves."""
        self._waiting.append(block)
        self._waiting_rows += len(block.values)
        if self._waiting_rows >= CHUNK:
            self._file()

    def settle(self) -> bool:
        """Files the rows that wait, as if more came at once; False where that could change what becomes of them."""
        if not self._decided or self._overflowing:
            return False
        self._file()
        for builder in self.raw.columns.values():
            builder.settle()
        return not self._overflowing

    def flush(self) -> None:
        """Files the rows that wait; call it once more after the last row."""
        self._file()
        self._lot.split()
        if self._unreachable:
            self.raw.notes.append(
                f"{self._unreachable} of {self._count} rows have a step beyond {LARGEST_STEP:.1e}, which no counter "
                "reaches: they stand at the step of the row before"
            )

    def _file(self) -> None:
        if not self._waiting:
            return
        if not self._decided:
            self._decide()
        waiting, self._waiting, self._waiting_rows, self._waiting_cells = self._waiting, [], 0, 0
        for in_blocks, group in groupby(waiting, lambda one: isinstance(one, RowBlock)):
            if in_blocks:
                for block in group:
                    self._file_block(cast(RowBlock, block))
            else:
                self._file_rows(cast(list[Row], list(group)))

    def _file_rows(self, waiting: list[Row]) -> None:
        self._lot.split()
        rows = [numbers for numbers, _, _ in waiting]
        steps = np.array([self._step_of(numbers, step) for numbers, step, _ in waiting])
        times = np.array([self._time_of(numbers, time) for numbers, _, time in waiting])
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

    def _file_block(self, block: RowBlock) -> None:
        steps, times = self._steps_of(block), self._times_of(block)
        if not len(steps):  # a block of blank lines
            return
        missing, values = block.missing, block.values
        order: Sequence[int] = range(len(block.names))
        if missing is not None:  # keys come in the order in which they are first met
            order = np.argsort(missing.argmin(axis=0), kind="stable").tolist()
        named = [(place, name) for place in order if (name := self._name_of(block.names[place], float(steps[0])))]
        if missing is None and self._lot.extend(named, steps, values, times):
            return
        self._lot.split()
        columns = np.ascontiguousarray(values.T)
        for place, name in named:
            there = slice(None) if missing is None or not missing[:, place].any() else ~missing[:, place]
            if missing is None or not missing[:, place].all():
                at = None if times is None else times[there]
                clear = None if at is None or np.isnan(at).any() else at
                self.raw.column(name).extend(steps[there], columns[place][there], clear)

    def _steps_of(self, block: RowBlock) -> Array:
        """The step of each row, that of the row before where it has none of its own."""
        count = len(block.values)
        self._count += count
        if self._step_key is None:
            return np.arange(self._count - count, self._count, dtype=np.float64)
        steps = self._column(block, self._step_key)
        known = np.abs(steps) < LARGEST_STEP
        if not known.all():
            self._unreachable += int((np.isfinite(steps) & ~known).sum())
            last = np.maximum.accumulate(np.where(known, np.arange(count), -1))
            steps = np.where(last >= 0, steps[last], self._last_step)
        self._last_step = float(steps[-1])
        return steps

    def _times_of(self, block: RowBlock) -> Array | None:
        return None if self._time_key is None else self._column(block, self._time_key)

    def _column(self, block: RowBlock, key: str) -> Array:
        """One column of a block, NaN for its empty cells."""
        if key not in block.names:
            return np.full(len(block.values), np.nan)
        place = block.names.index(key)
        column = np.array(block.values[:, place])
        if block.missing is not None:
            column[block.missing[:, place]] = np.nan
        return column

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
        if abs(given) < LARGEST_STEP:
            self._last_step = given
        elif math.isfinite(given):
            self._unreachable += 1
        return self._last_step

    def _name_of(self, key: str, step: float) -> str | None:
        """The name of a key's column, or None for counters, clocks and one key too many."""
        if key in self._names:
            return self._names[key]
        if len(self._names) >= MOST_KEYS:
            self._say_overflow(step)
            return None
        self._names[key] = None if key.lower() in NO_METRICS else self._prefix + make_key_printable(key)
        return self._names[key]

    def _say_overflow(self, step: float) -> None:
        if not self._overflowing:
            self.raw.notes.append(f"more than {MOST_KEYS} keys: those first seen after step {step:g} were left out")
        self._overflowing = True

    def _decide(self) -> None:
        self._decided = True
        rows = list(islice(self._sampled(), CHUNK))
        given = [one for one in self._waiting if not isinstance(one, RowBlock)]
        blocks = len(given) < len(self._waiting)
        if blocks or any(time is None for _, _, time in given):
            self._time_key = find_time_key(rows)
        if not blocks and all(step is not None for _, step, _ in given):
            return
        self._step_key, axis = find_step_key(rows)
        self.raw.axis = self.raw.axis or axis
        beyond = {key for row in rows for key, value in row.items() if LARGEST_STEP <= abs(value) < math.inf}
        for key in sorted(filter(is_step_name, beyond)) if self._step_key is None else ():
            told = f"{make_key_printable(key)} is beyond {LARGEST_STEP:.1e}, which no counter reaches"
            self.raw.notes.append(f"{told}: rows are counted instead")

    def _sampled(self) -> Iterator[Mapping[str, float]]:
        """The rows that wait, of blocks only the columns that may count steps or tell the time."""
        for one in self._waiting:
            if isinstance(one, RowBlock):
                wanted = {name for name in one.names if is_step_name(name) or name.strip().lower() in TIMES}
                yield from one.rows(wanted, CHUNK)
            else:
                yield one[0]


def find_step_key(rows: Sequence[Mapping[str, float]]) -> tuple[str | None, str]:
    """The key that counts the steps of these rows and what it counts; no key and `rows` where none does.

    A counter seldom falls: a column such as `steps` that goes up and down is the length of episodes. An epoch counts
    only where each row is one.
    """
    candidates = {key for row in rows for key in row if key.strip().lower() in _RANK}
    ranked = sorted(candidates, key=lambda key: _RANK[key.strip().lower()][0])
    rising = [key for key in ranked if _counts([row[key] for row in rows if key in row])]
    rising = [key for key in rising if _RANK[key.strip().lower()][1] != "epochs" or _is_one_a_row(key, rows)]
    common = [key for key in rising if 2 * sum(key in row for row in rows) >= len(rows)]
    for key in common or rising:
        return key, _RANK[key.strip().lower()][1]
    return None, "rows"


def find_time_key(rows: Sequence[Mapping[str, float]]) -> str | None:
    """The key that tells when each row was written, or None."""
    present = {key.strip().lower(): key for row in rows for key in row}
    for name in TIMES:
        key = present.get(name)
        if key is not None and _mostly_rises((row[key] for row in rows if key in row), share=0.1):
            return key
    return None


def _is_one_a_row(key: str, rows: Sequence[Mapping[str, float]]) -> bool:
    """Whether every row is an epoch of its own: else an epoch, or a part of one, is no step."""
    values = [row[key] for row in rows if key in row]
    return all(after >= before + 1 for before, after in pairwise(values))


def _counts(values: Sequence[float]) -> bool:
    stuck = len(values) > 4 and len(set(values)) == 1
    return not stuck and _mostly_rises(values)


def _mostly_rises(values: Iterable[float], share: float = 0.25) -> bool:
    finite = [value for value in values if abs(value) < LARGEST_STEP]
    if not finite:
        return False
    falls = sum(after < before for before, after in pairwise(finite))
    return falls <= max(share * (len(finite) - 1), 1)
