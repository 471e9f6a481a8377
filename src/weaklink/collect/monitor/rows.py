"""The rows of a recording as they come: numbers, episodes and evaluations, and which updates were not measured."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.gaps import Gap
from weaklink.collect.monitor.episodes import EpisodeTally
from weaklink.collect.monitor.live import LiveRun
from weaklink.collect.monitor.recorder import Recorder
from weaklink.collect.monitor.trackers import TrackerForwarder

EPISODES_EVERY = 1.0
"""Seconds after which episodes make a row of their own where no number has come: a curve of a short run needs points,
and one row a second costs less than a ten-thousandth of the time."""

UNMEASURED = "system.unmeasured_updates"


@dataclass
class UnmeasuredUpdates:
    """Updates that pass while the budget allows no measuring, from the last one measured to the next."""

    step: float = 0.0
    update: int = 0
    refused: int = 0

    def refuse(self, update: int) -> None:
        """Takes note that there was no time for this update."""
        self.refused = update

    def measure(self, step: float, update: int) -> Gap | None:
        """Takes note that there is time for this update, and gives the gap that it ends."""
        if update == self.refused:
            return None
        gap = None
        if self.refused > self.update and update > self.update:
            gap = Gap(self.step, step, max(update - self.update - 1, 1))
        self.step, self.update = step, update
        return gap

    def end(self, step: float, update: int) -> Gap | None:
        """The gap that is open at the end of the run."""
        return Gap(self.step, step, max(update - self.update, 1)) if self.refused > self.update else None


class RowWriter:
    """Writes what a training tells, cheaply and always: whatever the budget, nothing of it is left out."""

    def __init__(
        self,
        config: Mapping[str, Any],
        context: Mapping[str, Any],
        recorder: Recorder,
        forwarding: TrackerForwarder,
        live: LiveRun,
    ) -> None:
        self._config, self._context = config, context
        self._recorder, self._forwarding, self._live = recorder, forwarding, live
        self._episodes = EpisodeTally()
        self._waiting: dict[str, float] = {}
        self._written = time.monotonic()
        self._introduced = False
        self.latest: dict[str, float] = {}
        self.step = 0.0
        self.unmeasured = UnmeasuredUpdates()

    def add(self, step: float, numbers: Mapping[str, float]) -> None:
        """Writes a row: these numbers, the episodes that ended since the last one, and what waits for a row."""
        self.step = float(step)
        row = {name: float(value) for name, value in numbers.items()}
        if self._waiting:
            row, self._waiting = {**self._waiting, **row}, {}
        row |= self._episodes.taken()
        self._written = time.monotonic()
        self.write(self.step, row)

    def put_off(self, numbers: Mapping[str, float]) -> None:
        """Has numbers written with the next row."""
        self._waiting.update(numbers)

    def write(self, step: float, row: dict[str, float]) -> None:
        """Writes a row as it is, from any thread."""
        if not self._introduced:
            self._introduced = True
            self._recorder.add("config", self._config)
            self._recorder.add("context", self._context)
        if row:
            self.latest |= row
            self._live.add(step, time.time(), row)
            self._recorder.write(step, row)
            self._forwarding.numbers(step, row)

    def episode(self, step: float, total: float, length: float, parts: Mapping[str, float] | None) -> None:
        """Takes a finished episode; where no row was written for a while, it is written at once."""
        self._episodes.add(total, length, parts)
        if time.monotonic() - self._written >= EPISODES_EVERY:
            self.add(step, {})

    def evaluation(self, step: float, returns: Any, lengths: Any) -> float:
        """Writes an evaluation; gives its mean return."""
        totals = np.asarray(np.atleast_1d(returns), dtype=np.float64)
        row = {"evaluation.return": float(totals.mean()), "evaluation.return_std": float(totals.std())}
        if lengths is not None:
            row["evaluation.length"] = float(np.mean(lengths))
        self.add(step, row)
        return row["evaluation.return"]

    def write_gap(self, gap: Gap | None) -> None:
        """Writes down what was left out, and has the next row say of how many updates."""
        if gap is not None:
            self._recorder.add("gap", msgspec.to_builtins(gap))
            self._live.add_gap(gap)
            if gap.updates:
                self.put_off({UNMEASURED: float(gap.updates)})

    def close(self, update: int) -> None:
        """Writes what is left."""
        self.write_gap(self.unmeasured.end(self.step, update))
        self.add(self.step, {})
