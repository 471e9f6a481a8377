"""What an agent did in the probe environments while it was trained."""

from __future__ import annotations

import os
from collections import deque
from pathlib import Path
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.outcome import AgentBehaviour
from weaklink.base.evidence.series import Array
from weaklink.collect.probes.probe import CONTINUOUS, Probe

COLUMNS = 6
"""State, whether the action was right, the action, whether it was allowed, whether it lay within bounds, the end."""

ROW_BYTES = COLUMNS * 8

FLUSHED_EVERY = 500
FLUSHED_SHARE = 16
"""Rows are written when there are as many as this part of what was written before, so that little is ever lost."""

PART = 100_000
FIRST_PARTS = NEWEST_PARTS = 2
MOST_ROWS = (FIRST_PARTS + NEWEST_PARTS) * PART
"""Of a longer training the first and the newest rows are kept, in files by parts; steps are counted nevertheless."""

EARLY, LATE = 0.1, 0.25
FEWEST_EARLY, FEWEST_ROWS = 64, 40
ENDING, RESETS = ".rows", ".resets"

Row = tuple[float, ...]


class StepRecorder:
    """Collects rows from every environment of one training; in a folder where they may be in other processes."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.steps = 0
        self._first: list[Row] = []
        self._newest: deque[Row] = deque(maxlen=NEWEST_PARTS * PART)
        self._files = None if folder is None else _RowFiles(Path(folder), f"{id(self):x}")

    def add(self, row: Row) -> None:
        """Counts one step and keeps it."""
        self.steps += 1
        if self._files is not None:
            self._files.add(row)
        elif len(self._first) < FIRST_PARTS * PART:
            self._first.append(row)
        else:
            self._newest.append(row)

    def count_reset(self) -> None:
        """Counts the beginning of an episode: a vector may make it a step of its own, which a script counts too."""
        if self._files is not None:
            self._files.resets += 1

    def flush(self) -> None:
        """Writes what is there; a folder that cannot be written to costs the recording, not the training."""
        if self._files is not None:
            self._files.flush()

    def rows(self) -> Array:
        """The steps in memory, in their order."""
        return np.array([*self._first, *self._newest], np.float64).reshape(-1, COLUMNS)


class _RowFiles:
    """The rows of one recorder in a folder; the name of each file ends with the number of steps before it."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name
        self._waiting: list[Row] = []
        self._parts: list[_RowFile] = []
        self._written = 0
        self._lost = False
        self.resets = 0

    def add(self, row: Row) -> None:
        if self._lost:
            return
        self._waiting.append(row)
        if len(self._waiting) > min(FLUSHED_EVERY, self._written // FLUSHED_SHARE):
            self.flush()

    def flush(self) -> None:
        if self._lost or not self._waiting:
            return
        try:
            self._write()
        except OSError:
            self._lost = True
        self._waiting.clear()

    def _write(self) -> None:
        if not self._parts:
            self._begin(f"{os.getpid()}-{self._name}")
        elif self._written - self._parts[-1].before >= PART:
            self._parts.append(self._next(self._parts[-1].stem))
        with self._parts[-1].file.open("ab") as file:
            file.write(np.array(self._waiting, np.float64).tobytes())
        if self.resets:
            (self._folder / f"{self._parts[0].stem}{RESETS}").write_text(str(self.resets), encoding="ascii")
        self._written += len(self._waiting)
        if len(self._parts) > FIRST_PARTS + NEWEST_PARTS:
            self._parts.pop(FIRST_PARTS).file.unlink(missing_ok=True)

    def _begin(self, stem: str) -> None:
        """Goes on where an environment of the same name, which is gone by now, has ended."""
        self._parts = [part for part in _list_row_files(self._folder) if part.stem == stem] or [self._next(stem)]
        if self._parts[-1].file.exists():
            self._written = self._parts[-1].end
            self.resets += _read_count(self._folder / f"{stem}{RESETS}")

    def _next(self, stem: str) -> _RowFile:
        return _RowFile(self._folder / f"{stem}-{self._written}{ENDING}")


class _RowFile(NamedTuple):
    """One file of rows."""

    file: Path

    @property
    def stem(self) -> str:
        """Who wrote it: the process and the recorder."""
        return self.file.stem.rpartition("-")[0]

    @property
    def before(self) -> int:
        """Steps that were made before the first in it."""
        return int(self.file.stem.rpartition("-")[2])

    @property
    def end(self) -> int:
        """Steps that were made up to the last in it; none of its own where it was taken away since it was listed."""
        try:
            return self.before + self.file.stat().st_size // ROW_BYTES
        except FileNotFoundError:
            return self.before

    def rows(self) -> Array:
        """Those that were written whole; none where it was taken away since it was listed."""
        try:
            content = self.file.read_bytes()
        except FileNotFoundError:
            content = b""
        return np.frombuffer(content[: len(content) // ROW_BYTES * ROW_BYTES], np.float64).reshape(-1, COLUMNS)


def _list_row_files(folder: Path) -> list[_RowFile]:
    return sorted(map(_RowFile, folder.glob(f"*{ENDING}")), key=lambda part: (part.stem, part.before))


def read_steps(folder: Path) -> Array:
    """The steps that environments wrote into a folder; members of a vector take turns as they did in time."""
    parts = _list_row_files(folder)
    if not parts:
        return np.empty((0, COLUMNS))
    each = [part.rows() for part in parts]
    order = np.concatenate([part.before + np.arange(len(rows)) for part, rows in zip(parts, each, strict=True)])
    return np.concatenate(each)[np.argsort(order, kind="stable")]


def count_steps(folder: Path) -> int:
    """How many steps were made by those environments, also where not every row was kept."""
    return sum({part.stem: part.end for part in _list_row_files(folder)}.values())


def count_resets(folder: Path) -> int:
    """How many episodes those environments began."""
    return sum(map(_read_count, folder.glob(f"*{RESETS}")))


def _read_count(file: Path) -> int:
    """The number in a file; 0 where it is just being written."""
    try:
        return int(file.read_text(encoding="ascii") or 0)
    except OSError:
        return 0


def summarise_behaviour(rows: Array, probe: Probe, steps: int | None = None) -> AgentBehaviour:
    """What the rows say about early and late actions; `steps` were made where not every row was kept."""
    count = len(rows)
    early = rows[: max(FEWEST_EARLY, int(EARLY * count))]
    late = rows[count - int(LATE * count) :]
    return AgentBehaviour(
        steps=count if steps is None else steps,
        episodes=int(rows[:, 5].sum()),
        early=_average_right(early[:, 1]),
        late=_average_right(late[:, 1]),
        first_choice=None if probe.acts == CONTINUOUS else _measure_first_choice(early, probe),
        spread=_measure_spread(early, probe) if probe.acts == CONTINUOUS and len(early) >= FEWEST_ROWS else None,
        beyond=float(1.0 - late[:, 4].mean()) if len(late) else 0.0,
        invalid=int((rows[:, 3] == 0.0).sum()),
    )


def _average_right(right: Array) -> float | None:
    told = right[~np.isnan(right)]
    return float(told.mean()) if len(told) >= FEWEST_ROWS // 2 else None


def _measure_first_choice(early: Array, probe: Probe) -> float | None:
    """The share of the most frequent action where it is largest, among states with something to choose."""
    if probe.world.choices < 2:
        return None
    shares = []
    for state in set(early[:, 0].tolist()):
        taken = early[early[:, 0] == state, 2].astype(int)
        if len(taken) >= FEWEST_ROWS // 2:
            shares.append(float(np.bincount(taken).max()) / len(taken))
    return min(shares) if shares else None


def _measure_spread(early: Array, probe: Probe) -> float:
    low, high = probe.world.bounds
    inside = [early[early[:, 0] == state, 2] for state in set(early[:, 0].tolist())]
    spreads = [float(actions.std()) for actions in inside if len(actions) > 4]
    return 2.0 * max(spreads, default=0.0) / (high - low)
