"""Trainings in processes of their own, several side by side."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weaklink.errors import UsageError
from weaklink.evidence.outcome import Trial
from weaklink.evidence.traits import Traits
from weaklink.outside.partner import Partner
from weaklink.outside.processes import packed_line, unpacked_line
from weaklink.probes.ladder import Job
from weaklink.probes.plan import Plan
from weaklink.probes.worker import Reply, Request

POLL = 0.25
LOADING = 600.0
"""Seconds that importing a trainer may take."""

SHOWN_CHARACTERS = 1500
FEW = 2


class Pool:
    """Workers that load the trainer once and train again and again; one that dies or hangs is replaced."""

    def __init__(self, trainer: str, plan: Plan, settings: Mapping[str, Any] | None = None) -> None:
        self._request = Request(trainer, None if settings is None else dict(settings), plan.gamma)
        self._timeout = plan.timeout
        self._folder = tempfile.TemporaryDirectory(prefix="weaklink-")
        self._replies: queue.Queue[tuple[_Worker, Reply | None]] = queue.Queue()
        self._early: list[tuple[_Worker, Reply | None]] = []  # what came while another worker was waited for
        self._idle: list[_Worker] = []
        self._busy: dict[_Worker, Job] = {}
        self._given = 0
        self.room, self._chosen = plan.processes, bool(plan.workers)
        self._workers = [self._started()]
        self.traits = self._first_traits()

    def _started(self) -> _Worker:
        self._given += 1
        return _Worker(Path(self._folder.name) / f"{self._given}.errors", self._request, self._replies)

    def _first_traits(self) -> Traits:
        """What the trainer says of itself, once a worker has loaded it."""
        worker, reply = self._next(time.monotonic() + LOADING)
        if reply is None or reply.traits is None:
            told = worker.printed(300)
            self.close()
            said = reply.unusable if reply is not None else ""
            raise UsageError(said or f"Loading {self._request.trainer} ended the whole process: {told.strip()}")
        self._idle.append(worker)
        if reply.traits.language and not self._chosen:
            self.room = min(self.room, FEW)  # importing a language trainer costs more than a rung
        self._workers += [self._started() for _ in range(self.room - 1)]
        return reply.traits

    def begin(self, job: Job) -> None:
        """Gives it to a worker that is loaded, or waits for one to be."""
        while not self._idle:
            worker, reply = self._next(time.monotonic() + LOADING)
            if worker in self._busy:
                self._early.append((worker, reply))
            elif reply is not None and reply.traits is not None:
                self._idle.append(worker)
            elif worker in self._workers:
                # it could be loaded before, so this is the machine's trouble and not the trainer's
                raise UsageError(f"A second process cannot load the trainer: {worker.printed(300).strip()}")
        worker = self._idle.pop(0)
        worker.give(job)
        self._busy[worker] = job

    def finished(self) -> tuple[Job, Trial]:
        """Waits for the next training that ends, one way or the other."""
        while True:
            late = next((worker for worker in self._busy if worker.busy_for() > self._timeout), None)
            if late is not None:
                return self._lost(late, "hung", f"no end within {self._timeout:g} seconds")
            try:
                worker, reply = self._early.pop(0) if self._early else self._replies.get(timeout=POLL)
            except queue.Empty:
                continue
            if reply is None and worker in self._busy:
                return self._lost(worker, "died", f"the whole process died: {worker.last_words()}")
            if reply is not None and reply.traits is not None:
                self._idle.append(worker)
            elif reply is not None and reply.trial is not None:
                self._idle.append(worker)
                return self._busy.pop(worker), reply.trial

    def _next(self, deadline: float) -> tuple[_Worker, Reply | None]:
        while time.monotonic() < deadline:
            with contextlib.suppress(queue.Empty):
                return self._replies.get(timeout=POLL)
        return self._workers[0], None

    def _lost(self, worker: _Worker, kind: str, why: str) -> tuple[Job, Trial]:
        """The trial of a training that did not come back; another worker takes the place."""
        job = self._busy.pop(worker)
        worker.close()
        self._workers.remove(worker)
        trial = Trial(
            seed=job.seed,
            steps=job.steps,
            seconds=worker.busy_for(),
            failure=why,
            kind=kind,
            printed=worker.printed(SHOWN_CHARACTERS),
        )
        self._workers.append(self._started())
        return job, trial

    def close(self) -> None:
        """Ends every worker."""
        for worker in self._workers:
            worker.close()
        self._workers.clear()
        self._folder.cleanup()


class _Worker(Partner[Reply]):
    """A process that trains, and since when."""

    def __init__(self, errors: Path, request: Request, replies: queue.Queue[tuple[_Worker, Reply | None]]) -> None:
        super().__init__(
            "weaklink.probes.worker",
            decode=lambda line: unpacked_line(line, Reply),
            hear=lambda reply: replies.put((self, reply)),
            printed=errors,
        )
        self._began = time.monotonic()
        self.tell(packed_line(request))

    def give(self, job: Job) -> None:
        """Sends a training."""
        self._began = time.monotonic()
        self.tell(packed_line(job))

    def busy_for(self) -> float:
        """Seconds since it was given its training."""
        return time.monotonic() - self._began
