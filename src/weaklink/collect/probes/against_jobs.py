"""The trainings of a comparison: in processes of their own, several side by side, or in this one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from weaklink.base.errors import UsageError
from weaklink.base.evidence.comparison import DIED, HUNG, ActionLayout, ContestantTraining
from weaklink.base.evidence.series import Array
from weaklink.base.outside.child import ChildProcess, Supervisor, make_module_command
from weaklink.base.outside.lending import count_room
from weaklink.collect.probes.against_worker import ContestReply, ContestRequest
from weaklink.collect.probes.contestants import prepare_trainer
from weaklink.collect.probes.episodes import play_at_random
from weaklink.collect.probes.training import run_training
from weaklink.collect.survey.surveyed import make_environment, name_environment

TRAINER, REFERENCE = "trainer", "reference"
ROWS = "observations.npy"
MOST_AT_ONCE = 8
SHOWN_CHARACTERS = 1500
LOOKING = 60.0
"""Seconds that random play may take at least, however short the trainings are to be."""


class ContestJob(msgspec.Struct, frozen=True):
    """One training to be done."""

    side: str
    steps: int
    seed: int


class ContestResult(msgspec.Struct, frozen=True):
    """One training that ended, with the settings that were used."""

    job: ContestJob
    training: ContestantTraining
    settings: dict[str, str] = {}
    notes: tuple[str, ...] = ()


class RandomPlayResult(msgspec.Struct, frozen=True):
    """What random play found: observations to ask about, and its returns."""

    rows: Array = np.empty((0, 0))
    random: tuple[float, ...] = ()
    actions: ActionLayout = ActionLayout()


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
        self._room = count_room(workers, MOST_AT_ONCE)
        self._apart = isolate and isinstance(environment, str)
        self._supervisor: Supervisor[ContestReply] = Supervisor()
        self._jobs: dict[ChildProcess[ContestReply], ContestJob] = {}
        self._looked = RandomPlayResult()
        self._rows = folder / ROWS

    def name(self, side: str) -> str:
        """What to call one of them."""
        return name_environment(self._things[side])

    def looked(self) -> RandomPlayResult:
        """Plays the environment at random; what cannot be used is told before anything is trained."""
        if self._apart:
            reply = self._look_apart()
            self._looked = RandomPlayResult(np.load(self._rows, allow_pickle=False), reply.random, reply.actions)
        else:
            found = play_at_random(self._made)
            self._looked = RandomPlayResult(found.rows, found.returns, found.actions)
            np.save(self._rows, self._looked.rows)
        return self._looked

    def _look_apart(self) -> ContestReply:
        """What random play in a process of its own says; whatever goes wrong is a reason not to go on."""
        seconds = max(self._timeout, LOOKING)
        self._start(ContestRequest(environment=self.environment, rows=str(self._rows), folder=""), seconds)
        child, reply = self._next()
        if reply is None:
            why = _explain_loss(child, seconds)
            raise UsageError(f"Playing {self.environment} at random did not come to an end: {why}.")
        if reply.unusable:
            raise UsageError(reply.unusable)
        return reply

    def _made(self) -> Any:
        return make_environment(self.environment, {}) if isinstance(self.environment, str) else self.environment()

    def carried_out(self, jobs: list[ContestJob]) -> Iterator[ContestResult]:
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

    def _here(self, job: ContestJob) -> ContestResult:
        contestant = prepare_trainer(self._things[job.side], self._settings)
        done = run_training(contestant, self._made, job.steps, job.seed, self._looked.rows)
        return ContestResult(job, done, contestant.settings, contestant.notes)

    def _begin(self, job: ContestJob) -> None:
        folder = self._folder / f"{job.side}-{job.seed}"
        folder.mkdir()
        request = ContestRequest(
            environment=self.environment,
            trainer=self._things[job.side],
            settings=self._settings,
            steps=job.steps,
            seed=job.seed,
            rows=str(self._rows),
            folder=str(folder),
        )
        self._jobs[self._start(request, self._timeout)] = job

    def _start(self, request: ContestRequest, seconds: float) -> ChildProcess[ContestReply]:
        words = make_module_command("weaklink.collect.probes.against_worker")
        return self._supervisor.start(words, ContestReply, request, seconds=seconds, threads=1, interrupted=True)

    def _next(self) -> tuple[ChildProcess[ContestReply], ContestReply | None]:
        """The next process that answered or was lost; it is not needed any more."""
        event = self._supervisor.wait()
        assert event is not None
        self._supervisor.end(event[0])
        return event

    def _ended(self, job: ContestJob, child: ChildProcess[ContestReply], reply: ContestReply | None) -> ContestResult:
        if reply is None:
            return ContestResult(job, self._lost(job, child))
        if reply.unusable or reply.training is None:
            raise UsageError(reply.unusable)
        return ContestResult(job, reply.training, reply.settings, reply.notes)

    def _lost(self, job: ContestJob, child: ChildProcess[ContestReply]) -> ContestantTraining:
        """A training that did not come back."""
        return ContestantTraining(
            seed=job.seed,
            steps=job.steps,
            seconds=child.taken,
            failure=_explain_loss(child, self._timeout),
            kind=HUNG if child.late else DIED,
            printed=child.printed[-SHOWN_CHARACTERS:],
        )

    def close(self) -> None:
        """Ends whatever is still running."""
        self._supervisor.close()
        self._jobs.clear()


def _explain_loss(child: ChildProcess[ContestReply], seconds: float) -> str:
    """The time that was up, or the signal or exit code and the last line that was printed."""
    if child.late:
        return f"no end within {seconds:g} seconds"
    return f"the whole process died of {child.last_words()}"
