"""Reads the first updates of a training on a probe, and ends the training once enough was read."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from weaklink.base.evidence.rollout_packing import pack_rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.collect.monitor.assembly import assemble_rollout
from weaklink.collect.monitor.governor import Governor
from weaklink.collect.monitor.parts import PartRunner
from weaklink.collect.monitor.update_reader import LATER, UpdateReader
from weaklink.collect.probes.read_rows import read_storage

FIRST = 3
"""Updates that are read at the start, as many as the monitor reads."""

SPARE = 2
"""Times its budget that a training may go on where its updates cannot be read."""

FEW_STEPS = 512
"""Steps after which a trainer that has not loaded torch will not load it any more."""

PART = "reading updates"


class EnoughRead(BaseException):
    """Ends a training whose updates were read; no fault of anybody's, so that no handler of errors takes it."""


class ProbeGovernor(Governor):
    """Allows every reading: this training is there to be read, and how much is seen must not depend on the machine."""

    def allows(self, kind: str) -> bool:
        """Whatever it costs."""
        return True


class TrainingReader:
    """Reads a training, from `listen` to `close`.

    Args:
        steps: the budget of the training.
        config: the hyper-parameters that the trainer was given.
        keep: is handed what was read of each update, a rollout as bytes.

    Attributes:
        taken: steps of all environments so far.
        notes: why something was not read.
    """

    def __init__(self, steps: int, config: Mapping[str, Any], keep: Callable[[bytes], object]) -> None:
        self.taken = 0
        self.notes: list[str] = []
        self._steps, self._config, self._keep = steps, config, keep
        self._read: list[tuple[int, int]] = []
        self._past_ends, self._ended = 0, False
        parts = PartRunner(self.notes.append, lambda: float(self.taken))
        self._reader = UpdateReader(self._take, parts, ProbeGovernor(budget=1.0), FIRST, self.notes.append)

    def listen(self) -> None:
        """Hears environments and networks from now on."""
        self._reader.listen()

    def count_step(self, past_end: bool) -> None:
        """Counts a step.

        Args:
            past_end: whether it goes on from an end that nobody reset.

        Raises:
            EnoughRead: all that will be read was; once.
        """
        self.taken += 1
        self._past_ends += past_end
        if not self._ended and self._has_enough():
            self._ended = True
            raise EnoughRead

    def close(self) -> None:
        """Reads what is under way and listens no longer."""
        self._reader.close()

    def _take(self, reading: UpdateReading) -> None:
        self._read.append((self.taken, reading.update))
        rollout = assemble_rollout(reading, self.taken, self._config)
        recovered = rollout.recovered and replace(rollout.recovered, past_end=self._past_ends, stepped=self.taken)
        self._keep(pack_rollout(replace(rollout, storage=read_storage(reading), recovered=recovered)))

    def _has_enough(self) -> bool:
        """Whether the updates that are read at the start were, and the later one was or lies beyond the budget."""
        if self._steps and self.taken > SPARE * self._steps:
            return True  # a script whose own budget cannot be set goes on and on
        if len(self._read) < FIRST:
            return self.taken > FEW_STEPS and "torch" not in sys.modules
        step, update = self._read[FIRST - 1]
        return len(self._read) > FIRST or step / update * FIRST * LATER > self._steps
