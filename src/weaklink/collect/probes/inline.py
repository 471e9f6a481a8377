"""Trainings in this process, one after the other."""

from __future__ import annotations

from weaklink.base.evidence.outcome import Trial
from weaklink.base.evidence.protocols import Trainer
from weaklink.collect.probes.any_trial import any_trial
from weaklink.collect.probes.ladder import Job


class Inline:
    """Carries out each training when its result is asked for."""

    room = 1

    def __init__(self, train: Trainer, gamma: float | None = None) -> None:
        self._train = train
        self._gamma = gamma
        self._jobs: list[Job] = []

    def begin(self, job: Job) -> None:
        """Remembers it."""
        self._jobs.append(job)

    def finished(self) -> tuple[Job, Trial]:
        """Does the next."""
        job = self._jobs.pop(0)
        return job, any_trial(self._train, job, gamma=self._gamma)

    def close(self) -> None:
        """Nothing is left running."""
