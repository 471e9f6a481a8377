"""States of the training worth keeping: the best, the last, the last healthy one, and the one that failed."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weaklink.base.finding import Finding
from weaklink.collect.monitor.checkpoints import Checkpoints

SHARE = 0.005
"""Saving may take this share of the time."""

FIRST_AFTER = 30.0


class CheckpointKeeper:
    """Saves now and then, and once more before a training is stopped; a save that fails is told and loses nothing."""

    def __init__(self, folder: Path, complain: Callable[[str], None]) -> None:
        self._checkpoints = Checkpoints(folder)
        self._complain = complain
        self._next = time.monotonic() + FIRST_AFTER
        self.save: Callable[[str], Any] | None = None

    def now_and_then(self, step: float, *, healthy: bool, score: float | None) -> None:
        """Keeps the state where the last saving lies long enough back, or where a new score has come."""
        began = time.monotonic()
        if self.save is None or (score is None and began < self._next):
            return
        self._checkpoints.offer(step, self.save, healthy=healthy, score=score)
        self._next = time.monotonic() + max((time.monotonic() - began) / SHARE, FIRST_AFTER)

    def failed(self, step: float, finding: Finding) -> None:
        """Keeps the state that failed, and says where to go back to."""
        if self.save is None:
            self._complain(f"{finding.code} ends this training; nothing is saved, because nobody said how.")
            return
        self._checkpoints.failed(step, self.save, f"{finding.code} {finding.name}: {finding.message}")
        back = self._checkpoints.rollback()
        where = f"Go back to {back}." if back else "No healthy state was kept before."
        self._complain(f"{finding.code} {finding.name} ends this training at step {step:g}; it is saved. {where}")
