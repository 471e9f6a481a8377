"""Trainings in this process, one after the other."""

from __future__ import annotations

from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.protocols import Trainer
from weaklink.collect.probes.any_trial import run_any_trial
from weaklink.collect.probes.ladder import ProbeJob


class InlineRunner:
    """Carries out each training when its result is asked for."""

    room = 1

    def __init__(self, train: Trainer, gamma: float | None = None) -> None:
        self._train = train
        self._gamma = gamma
        self._jobs: list[ProbeJob] = []

    def begin(self, job: ProbeJob) -> None:
        """Remembers it."""
        self._jobs.append(job)

    def finished(self) -> tuple[ProbeJob, RungTrial]:
        """Does the next."""
        job = self._jobs.pop(0)
        return job, run_any_trial(self._train, job, gamma=self._gamma)

    def close(self) -> None:
        """Nothing is left running."""
