"""What an agent did in the probe environments while it was trained."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from weaklink.evidence.outcome import Behaviour
from weaklink.evidence.series import Array
from weaklink.probes.probe import CONTINUOUS, Probe

COLUMNS = 6
"""State, whether the action was right, the action, whether it was allowed, whether it lay within bounds, the end."""

FLUSHED_EVERY = 500
FLUSHED_SHARE = 16
"""Rows are written when there are as many as this part of what was written before, so that little is ever lost."""

MOST_ROWS = 400_000
EARLY, LATE = 0.1, 0.25
FEWEST_EARLY, FEWEST_ROWS = 64, 40


class Recorder:
    """Collects rows from every environment of one training; in a folder where they may be in other processes."""

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self._folder = None if folder is None else Path(folder)
        self._rows: list[tuple[float, ...]] = []
        self._written = 0
        self._file: Path | None = None

    def add(self, row: tuple[float, ...]) -> None:
        """Keeps one step."""
        if self._written + len(self._rows) >= MOST_ROWS:
            return
        self._rows.append(row)
        if self._folder is not None and len(self._rows) > min(FLUSHED_EVERY, self._written // FLUSHED_SHARE):
            self.flush()

    def flush(self) -> None:
        """Writes what is there; a folder that cannot be written to costs the recording, not the training."""
        if self._folder is None or not self._rows:
            return
        if self._file is None:
            self._file = self._folder / f"{os.getpid()}-{id(self):x}.rows"
        try:
            with self._file.open("ab") as file:
                file.write(np.array(self._rows, np.float64).tobytes())
        except OSError:
            self._folder = None
            return
        self._written += len(self._rows)
        self._rows.clear()

    def rows(self) -> Array:
        """Every step in memory, in its order."""
        return np.array(self._rows, np.float64).reshape(-1, COLUMNS)


def recorded(folder: Path) -> Array:
    """The steps that environments wrote into a folder; members of a vector take turns as they did in time."""
    each = [_whole(file.read_bytes()) for file in sorted(folder.glob("*.rows"))]
    if not each:
        return np.empty((0, COLUMNS))
    order = np.concatenate([np.arange(len(rows)) for rows in each])
    return np.concatenate(each)[np.argsort(order, kind="stable")]


def _whole(content: bytes) -> Array:
    size = COLUMNS * 8
    return np.frombuffer(content[: len(content) // size * size], np.float64).reshape(-1, COLUMNS)


def behaviour(rows: Array, probe: Probe) -> Behaviour:
    """What the rows say about early and late actions."""
    count = len(rows)
    early = rows[: max(FEWEST_EARLY, int(EARLY * count))]
    late = rows[count - int(LATE * count) :]
    return Behaviour(
        steps=count,
        episodes=int(rows[:, 5].sum()),
        early=_share(early[:, 1]),
        late=_share(late[:, 1]),
        first_choice=None if probe.acts == CONTINUOUS else _first_choice(early, probe),
        spread=_spread(early, probe) if probe.acts == CONTINUOUS and len(early) >= FEWEST_ROWS else None,
        beyond=float(1.0 - late[:, 4].mean()) if len(late) else 0.0,
        invalid=int((rows[:, 3] == 0.0).sum()),
    )


def _share(right: Array) -> float | None:
    told = right[~np.isnan(right)]
    return float(told.mean()) if len(told) >= FEWEST_ROWS // 2 else None


def _first_choice(early: Array, probe: Probe) -> float | None:
    """The share of the most frequent action where it is largest, among states with something to choose."""
    if probe.world.choices < 2:
        return None
    shares = []
    for state in set(early[:, 0].tolist()):
        taken = early[early[:, 0] == state, 2].astype(int)
        if len(taken) >= FEWEST_ROWS // 2:
            shares.append(float(np.bincount(taken).max()) / len(taken))
    return min(shares) if shares else None


def _spread(early: Array, probe: Probe) -> float:
    low, high = probe.world.bounds
    inside = [early[early[:, 0] == state, 2] for state in set(early[:, 0].tolist())]
    spreads = [float(actions.std()) for actions in inside if len(actions) > 4]
    return 2.0 * max(spreads, default=0.0) / (high - low)
