"""Trainings in processes of their own, several side by side."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import Trial
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.partner import Partner
from weaklink.base.outside.processes import packed_line, unpacked_line
from weaklink.collect.probes.ladder import Job
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.worker import Reply, Request

POLL = 0.25
LOADING = 600.0
"""Seconds that importing a trainer may take."""

SHOWN_CHARACTERS = 1500
FEW = 2


class Pool:
    """Workers that load the trainer once and train again and again; one that dies or hangs is replaced.

    A worker is loading, idle or busy. Only one that was idle or busy is replaced: where the trainer cannot be loaded
    again, the others go on without it.
    """

    def __init__(self, trainer: str, plan: ProbePlan, settings: Mapping[str, Any] | None = None) -> None:
        self._request = Request(trainer, None if settings is None else dict(settings), plan.gamma)
        self._timeout = plan.timeout
        self._folder = tempfile.TemporaryDirectory(prefix="weaklink-")
        self._replies: queue.Queue[tuple[_Worker, Reply | None]] = queue.Queue()
        self._waiting: list[Job] = []
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
        worker, reply = self._first_reply()
        if reply is None or reply.traits is None:
            why = self._why_not_loaded(worker, reply)
            self.close()
            raise UsageError(why)
        self._idle.append(worker)
        if reply.traits.language and not self._chosen:
            self.room = min(self.room, FEW)  # importing a language trainer costs more than a rung
        self._workers += [self._started() for _ in range(self.room - 1)]
        return reply.traits

    def _first_reply(self) -> tuple[_Worker, Reply | None]:
        (worker,) = self._workers
        while worker.busy_for() < LOADING:
            with contextlib.suppress(queue.Empty):
                return self._replies.get(timeout=POLL)
        return worker, None

    def begin(self, job: Job) -> None:
        """Gives it to a worker that is idle, at once or as soon as there is one."""
        self._waiting.append(job)
        self._hand_out()

    def _hand_out(self) -> None:
        while self._waiting and self._idle:
            worker, job = self._idle.pop(0), self._waiting.pop(0)
            worker.give(job)
            self._busy[worker] = job

    def finished(self) -> tuple[Job, Trial]:
        """Waits for the next training that ends, one way or the other.

        Raises:
            UsageError: no worker is left, because the trainer cannot be loaded again.
        """
        while True:
            # what has arrived comes first: who has answered is not late, however long the answer was left lying
            ended = self._overdue() if self._replies.empty() else None
            ended = ended or self._heard()
            if ended is not None:
                return ended

    def _overdue(self) -> tuple[Job, Trial] | None:
        """The trial of a training that takes too long; a worker that loads for too long is given up."""
        for worker in [worker for worker in self._workers if worker not in self._idle]:
            if worker in self._busy and worker.busy_for() > self._timeout:
                return self._lost(worker, "hung", f"no end within {self._timeout:g} seconds")
            if worker not in self._busy and worker.busy_for() > LOADING:
                self._give_up(worker, None)
        return None

    def _heard(self) -> tuple[Job, Trial] | None:
        """The trial that the next reply brings, if it is one."""
        try:
            worker, reply = self._replies.get(timeout=POLL)
        except queue.Empty:
            return None
        if worker not in self._workers:
            return None  # it was ended before this was read
        if worker in self._busy:
            return self._trained(worker, reply)
        if worker in self._idle:
            self._idle.remove(worker)
            self._replace(worker)
        elif reply is None or reply.traits is None:
            self._give_up(worker, reply)
        else:
            self._free(worker)
        return None

    def _trained(self, worker: _Worker, reply: Reply | None) -> tuple[Job, Trial]:
        if reply is None or reply.trial is None:
            return self._lost(worker, "died", f"the whole process died: {worker.last_words()}")
        job = self._busy.pop(worker)
        self._free(worker)
        return job, reply.trial

    def _free(self, worker: _Worker) -> None:
        self._idle.append(worker)
        self._hand_out()

    def _lost(self, worker: _Worker, kind: str, why: str) -> tuple[Job, Trial]:
        """The trial of a training that did not come back; another worker takes the place."""
        job = self._busy.pop(worker)
        self._replace(worker)
        trial = Trial(
            seed=job.seed,
            steps=job.steps,
            seconds=worker.busy_for(),
            failure=why,
            kind=kind,
            printed=worker.printed(SHOWN_CHARACTERS),
        )
        return job, trial

    def _replace(self, worker: _Worker) -> None:
        worker.close()
        self._workers.remove(worker)
        self._workers.append(self._started())

    def _give_up(self, worker: _Worker, reply: Reply | None) -> None:
        """Goes on without a worker that cannot load the trainer."""
        why = self._why_not_loaded(worker, reply)
        worker.close()
        self._workers.remove(worker)
        self.room -= 1
        if not self._workers:
            raise UsageError(
                f"Every process must be able to load the trainer; the first could, and none can any more. {why} "
                "See what the first left behind (a lock, a port, a file), or whether the machine is out of memory."
            )

    def _why_not_loaded(self, worker: _Worker, reply: Reply | None) -> str:
        if reply is not None:
            return reply.unusable
        if worker.running:
            return f"Loading {self._request.trainer} took longer than {LOADING:g} seconds."
        return f"Loading {self._request.trainer} ended the whole process: {worker.printed(300).strip()}"

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
            "weaklink.collect.probes.worker",
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
        """Seconds since it was given its training, or was started."""
        return time.monotonic() - self._began
