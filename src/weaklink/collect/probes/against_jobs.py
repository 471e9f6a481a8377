"""The trainings of a comparison: in processes of their own, several side by side, or in this one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.comparison import DIED, HUNG, Actions, Training
from weaklink.base.evidence.series import Array
from weaklink.base.outside.child import ChildProcess, Supervisor, module_words
from weaklink.collect.probes.against_worker import Reply, Request
from weaklink.collect.probes.contestants import ready
from weaklink.collect.probes.episodes import visited
from weaklink.collect.probes.training import training
from weaklink.collect.survey.surveyed import called, made

TRAINER, REFERENCE = "trainer", "reference"
ROWS = "observations.npy"
MOST_AT_ONCE = 8
SHOWN_CHARACTERS = 1500
LOOKING = 60.0
"""Seconds that random play may take at least, however short the trainings are to be."""


class Job(msgspec.Struct, frozen=True):
    """One training to be done."""

    side: str
    steps: int
    seed: int


class Done(msgspec.Struct, frozen=True):
    """One training that ended, with the settings that were used."""

    job: Job
    training: Training
    settings: dict[str, str] = {}
    notes: tuple[str, ...] = ()


class Looked(msgspec.Struct, frozen=True):
    """What random play found: observations to ask about, and its returns."""

    rows: Array = np.empty((0, 0))
    random: tuple[float, ...] = ()
    actions: Actions = Actions()


class ContestRunner:
    """Carries trainings out: those of words in processes of their own, those of objects here."""

    sides = (TRAINER, REFERENCE)

    def __init__(
        self,
        trainer: Any,
        reference: Any,
        environment: Any,
        settings: dict[str, Any],
        folder: Path,
        timeout: float,
        workers: int,
        isolate: bool,
    ) -> None:
        self._things = {TRAINER: trainer, REFERENCE: reference}
        self.environment = environment
        self._settings, self._folder, self._timeout = settings, folder, timeout
        self._room = workers or max(1, min(os.cpu_count() or 1, MOST_AT_ONCE))
        self._apart = isolate and isinstance(environment, str)
        self._supervisor: Supervisor[Reply] = Supervisor()
        self._jobs: dict[ChildProcess[Reply], Job] = {}
        self._looked = Looked()
        self._rows = folder / ROWS

    def name(self, side: str) -> str:
        """What to call one of them."""
        return called(self._things[side])

    def looked(self) -> Looked:
        """Plays the environment at random; what cannot be used is told before anything is trained."""
        if self._apart:
            reply = self._look_apart()
            self._looked = Looked(np.load(self._rows, allow_pickle=False), reply.random, reply.actions)
        else:
            found = visited(self._made)
            self._looked = Looked(found.rows, found.returns, found.actions)
            np.save(self._rows, self._looked.rows)
        return self._looked

    def _look_apart(self) -> Reply:
        """What random play in a process of its own says; whatever goes wrong is a reason not to go on."""
        seconds = max(self._timeout, LOOKING)
        self._start(Request(environment=self.environment, rows=str(self._rows), folder=""), seconds)
        child, reply = self._next()
        if reply is None:
            why = _why_lost(child, seconds)
            raise UsageError(f"Playing {self.environment} at random did not come to an end: {why}.")
        if reply.unusable:
            raise UsageError(reply.unusable)
        return reply

    def _made(self) -> Any:
        return made(self.environment, {}) if isinstance(self.environment, str) else self.environment()

    def carried_out(self, jobs: list[Job]) -> Iterator[Done]:
        """Each training as it ends."""
        outside = [job for job in jobs if self._apart and isinstance(self._things[job.side], str)]
        for job in jobs:
            if job not in outside:
                yield self._here(job)
        while outside or self._jobs:
            while outside and len(self._jobs) < self._room:
                self._begin(outside.pop(0))
            child, reply = self._next()
            yield self._ended(self._jobs.pop(child), child, reply)

    def _here(self, job: Job) -> Done:
        contestant = ready(self._things[job.side], self._settings)
        done = training(contestant, self._made, job.steps, job.seed, self._looked.rows)
        return Done(job, done, contestant.settings, contestant.notes)

    def _begin(self, job: Job) -> None:
        folder = self._folder / f"{job.side}-{job.seed}"
        folder.mkdir()
        request = Request(
            environment=self.environment,
            trainer=self._things[job.side],
            settings=self._settings,
            steps=job.steps,
            seed=job.seed,
            rows=str(self._rows),
            folder=str(folder),
        )
        self._jobs[self._start(request, self._timeout)] = job

    def _start(self, request: Request, seconds: float) -> ChildProcess[Reply]:
        words = module_words("weaklink.collect.probes.against_worker")
        return self._supervisor.start(words, Reply, request, seconds=seconds, threads=1, interrupted=True)

    def _next(self) -> tuple[ChildProcess[Reply], Reply | None]:
        """The next process that answered or was lost; it is not needed any more."""
        event = self._supervisor.wait()
        assert event is not None
        self._supervisor.end(event[0])
        return event

    def _ended(self, job: Job, child: ChildProcess[Reply], reply: Reply | None) -> Done:
        if reply is None:
            return Done(job, self._lost(job, child))
        if reply.unusable or reply.training is None:
            raise UsageError(reply.unusable)
        return Done(job, reply.training, reply.settings, reply.notes)

    def _lost(self, job: Job, child: ChildProcess[Reply]) -> Training:
        """A training that did not come back."""
        return Training(
            seed=job.seed,
            steps=job.steps,
            seconds=child.taken,
            failure=_why_lost(child, self._timeout),
            kind=HUNG if child.late else DIED,
            printed=child.printed[-SHOWN_CHARACTERS:],
        )

    def close(self) -> None:
        """Ends whatever is still running."""
        self._supervisor.close()
        self._jobs.clear()


def _why_lost(child: ChildProcess[Reply], seconds: float) -> str:
    """The time that was up, or the signal or exit code and the last line that was printed."""
    if child.late:
        return f"no end within {seconds:g} seconds"
    return f"the whole process died of {child.last_words()}"
