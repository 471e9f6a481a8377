"""The processes of the emergency procedure, seen from here: one that dies or hangs is replaced and never waited for."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from weaklink.base.errors import UsageError
from weaklink.base.outside.partner import Partner
from weaklink.base.outside.processes import packed_line, unpacked_line
from weaklink.verbs.debug.minimal.evidence import Attempt, Looked
from weaklink.verbs.debug.minimal.plan import Begin, Job, MinimalPlan, Reply
from weaklink.verbs.debug.target import Target

POLL = 0.1
LOADING = 120.0
"""Seconds that importing a target and a framework and looking at them may take."""

GRACE = 30.0
"""Seconds beyond its own that a training may take to come back."""

Report = Callable[[str, int], None]


class Worker(Partner[Reply]):
    """A process that trains, what it does and until when."""

    def __init__(self, begin: Begin, errors: Path, replies: queue.Queue[tuple[Worker, Reply | None]]) -> None:
        super().__init__(
            "weaklink.verbs.debug.minimal.worker",
            decode=lambda line: unpacked_line(line, Reply),
            hear=lambda reply: replies.put((self, reply)),
            printed=errors,
            folder=begin.target.folder,
        )
        self.job: Job | None = None
        self.deadline = time.monotonic() + LOADING
        self.tell(packed_line(begin))

    def give(self, job: Job) -> None:
        """Sends a training."""
        self.job = job
        self.deadline = time.monotonic() + 2.0 * job.seconds + GRACE
        self.tell(packed_line(job))


class Crew:
    """Workers that load the target once and train again and again."""

    def __init__(self, target: Target, plan: MinimalPlan, report: Report | None = None) -> None:
        self._target, self._plan, self._report = target, plan, report
        self._folder = tempfile.TemporaryDirectory(prefix="weaklink-")
        self._replies: queue.Queue[tuple[Worker, Reply | None]] = queue.Queue()
        self._started = 0
        self._idle: list[Worker] = []
        self._workers = [self._begun(look=True)]

    def _begun(self, *, look: bool = False) -> Worker:
        self._started += 1
        begin = Begin(target=self._target, seed=self._plan.seed, look=look, seconds=min(10.0, self._plan.seconds / 5))
        return Worker(begin, Path(self._folder.name) / f"{self._started}.errors", self._replies)

    def looked(self) -> Looked:
        """What is known of the target, once the first worker has loaded it.

        Raises:
            UsageError: it cannot be loaded.
        """
        first = self._workers[0]
        while True:
            worker, reply = self._next()
            if worker is not first and worker is not None:
                continue
            if reply is not None and reply.unusable:
                raise UsageError(reply.unusable)
            if reply is not None and reply.looked is not None:
                return reply.looked
            if worker is None or reply is None:
                name = self._target.word or self._target.name
                how = "took too long" if worker is None else f"ended the whole process: {first.last_words()}"
                raise UsageError(f"Loading {name} and looking at it {how}.")

    def attempts(self, jobs: Sequence[Job]) -> Iterator[Attempt]:
        """The trainings as they end."""
        waiting = list(jobs)
        while len(self._workers) < min(self._plan.workers, len(jobs)):
            self._workers.append(self._begun())
        while waiting or any(worker.job for worker in self._workers):
            while waiting and self._idle:
                self._idle.pop(0).give(waiting.pop(0))
            worker, reply = self._next()
            if worker is None:
                late = min(self._workers, key=lambda one: one.deadline)
                yield from self._lost(late, "it did not come back in time")
            elif reply is None:
                if worker in self._workers:
                    yield from self._lost(worker, worker.last_words())
            elif reply.ready:
                self._rest(worker)
            elif reply.steps is not None:
                self._tell(worker, reply.steps)
            elif reply.attempt is not None:
                self._rest(worker)
                yield reply.attempt

    def _rest(self, worker: Worker) -> None:
        worker.job, worker.deadline = None, float("inf")
        self._idle.append(worker)

    def _tell(self, worker: Worker, steps: int) -> None:
        if self._report is not None and worker.job is not None:
            self._report(f"{worker.job.task.name}, seed {worker.job.seed}", steps)

    def _next(self) -> tuple[Worker | None, Reply | None]:
        """The next message; no worker where one of them is overdue."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._replies.get(timeout=POLL)
            if time.monotonic() > min(worker.deadline for worker in self._workers):
                return None, None

    def _lost(self, worker: Worker, why: str) -> Iterator[Attempt]:
        """The attempt of a worker that did not come back; another takes its place."""
        job = worker.job
        worker.close()
        self._workers.remove(worker)
        if worker in self._idle:
            self._idle.remove(worker)
        if job is None and self._workers:  # the others do its work
            return
        if job is None:
            raise UsageError(f"No other process can load the target, though the first one could: {why}.")
        self._workers.append(self._begun())
        yield Attempt(task=job.task.name, seed=job.seed, failure=why)

    def close(self) -> None:
        """Ends every worker."""
        for worker in self._workers:
            worker.close()
        self._workers.clear()
        self._folder.cleanup()
