"""The trainings of a comparison: in processes of their own, several side by side, or in this one."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.comparison import DIED, HUNG, Actions, Training
from weaklink.base.evidence.series import Array
from weaklink.base.outside.processes import last_words
from weaklink.collect.probes.against_worker import REPLY, REQUEST, ROWS, Reply, Request
from weaklink.collect.probes.contestants import ready
from weaklink.collect.probes.episodes import visited
from weaklink.collect.probes.process import Process
from weaklink.collect.probes.training import training
from weaklink.collect.survey.surveyed import called, made

TRAINER, REFERENCE = "trainer", "reference"
POLL = 0.1
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


class Crew:
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
        self._running: dict[Job, _Process] = {}
        self._looked = Looked()
        self._rows = folder / ROWS

    def name(self, side: str) -> str:
        """What to call one of them."""
        return called(self._things[side])

    def looked(self) -> Looked:
        """Plays the environment at random; what cannot be used is told before anything is trained."""
        if self._apart:
            request = Request(environment=self.environment)
            process = _Process(self._folder / "random", request, max(self._timeout, LOOKING))
            reply = process.reply(f"Playing {self.environment} at random")
            self._looked = Looked(np.load(process.folder / ROWS, allow_pickle=False), reply.random, reply.actions)
        else:
            found = visited(self._made)
            self._looked = Looked(found.rows, found.returns, found.actions)
        np.save(self._rows, self._looked.rows)
        return self._looked

    def _made(self) -> Any:
        return made(self.environment, {}) if isinstance(self.environment, str) else self.environment()

    def carried_out(self, jobs: list[Job]) -> Iterator[Done]:
        """Each training as it ends."""
        outside = [job for job in jobs if self._apart and isinstance(self._things[job.side], str)]
        for job in jobs:
            if job not in outside:
                yield self._here(job)
        while outside or self._running:
            while outside and len(self._running) < self._room:
                job = outside.pop(0)
                self._running[job] = self._started(job)
            for job in [job for job, process in self._running.items() if process.over()]:
                yield self._ended(job, self._running.pop(job))
            time.sleep(POLL)

    def _here(self, job: Job) -> Done:
        contestant = ready(self._things[job.side], self._settings)
        done = training(contestant, self._made, job.steps, job.seed, self._looked.rows)
        return Done(job, done, contestant.settings, contestant.notes)

    def _started(self, job: Job) -> _Process:
        request = Request(
            environment=self.environment,
            trainer=self._things[job.side],
            settings=self._settings,
            steps=job.steps,
            seed=job.seed,
            rows=str(self._rows),
        )
        return _Process(self._folder / f"{job.side}-{job.seed}", request, self._timeout)

    def _ended(self, job: Job, process: _Process) -> Done:
        reply = process.found()
        if reply is None:
            return Done(job, process.lost(job))
        if reply.unusable or reply.training is None:
            raise UsageError(reply.unusable)
        return Done(job, reply.training, reply.settings, reply.notes)

    def close(self) -> None:
        """Ends whatever is still running."""
        for process in self._running.values():
            process.kill()
        self._running.clear()


class _Process:
    """One request on its way."""

    def __init__(self, folder: Path, request: Request, seconds: float) -> None:
        folder.mkdir()
        (folder / REQUEST).write_bytes(msgspec.json.encode(request))
        self.folder, self._seconds = folder, seconds
        words = [sys.executable, "-m", "weaklink.collect.probes.against_worker", str(folder)]
        threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        self._process = Process(words, {**threads, **os.environ}, seconds)
        self.over, self.kill = self._process.over, self._process.kill

    def found(self) -> Reply | None:
        """What it left; None where it left nothing."""
        try:
            return msgspec.msgpack.decode((self.folder / REPLY).read_bytes(), type=Reply)
        except OSError:
            return None

    def reply(self, what: str) -> Reply:
        """Waits for it; whatever goes wrong is a reason not to go on."""
        try:
            while not self.over():
                time.sleep(POLL)
        finally:
            self.kill()
        reply = self.found()
        if reply is None:
            raise UsageError(f"{what} did not come to an end: {self._why()}.")
        if reply.unusable:
            raise UsageError(reply.unusable)
        return reply

    def lost(self, job: Job) -> Training:
        """A training that did not come back."""
        return Training(
            seed=job.seed,
            steps=job.steps,
            seconds=self._process.seconds,
            failure=self._why(),
            kind=HUNG if self._process.late else DIED,
            printed=self._process.printed[-SHOWN_CHARACTERS:],
        )

    def _why(self) -> str:
        """The time that was up, or the signal or exit code and the last line that was printed."""
        if self._process.late:
            return f"no end within {self._seconds:g} seconds"
        return f"the whole process died of {last_words(self._process.code, self._process.printed)}"
