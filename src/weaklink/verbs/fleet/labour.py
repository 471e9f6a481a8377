"""Who judges the runs of a fleet: this process, or processes beside it. The answers are the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from weaklink.base.outside.child import ChildProcess, Supervisor, make_module_command
from weaklink.base.outside.worker_pool import NotLoaded, WorkerPool
from weaklink.verbs.fleet.work import FleetJob, FleetReply, FleetStart, do_job
from weaklink.verbs.targets import Failure

LOADING = 120.0
"""Seconds that a process may take to start, which takes below one: a busy disk may hold it up."""
PATIENCE = 1800.0
"""Seconds that one target may take: a database of a thousand runs takes a minute, a hang for ever."""
MOST_TRIES = 2
"""A worker can be lost by accident (no memory left, a machine that went away), hardly ever twice on one log."""


class Labour(Protocol):
    """Judges jobs and gives the replies as they come, in any order; each job is replied to once."""

    def judge(self, jobs: Sequence[FleetJob]) -> Iterator[FleetReply]:
        """The replies."""

    def close(self) -> None:
        """Ends whatever was started."""


class HereLabour:
    """This process."""

    def __init__(self, start: FleetStart) -> None:
        self._start = start

    def judge(self, jobs: Sequence[FleetJob]) -> Iterator[FleetReply]:
        """The replies, in the order of the jobs."""
        return (do_job(job, self._start) for job in jobs)

    def close(self) -> None:
        """Nothing was started."""


class ProcessLabour:
    """Processes on this machine. A job whose process died is given to another one, once."""

    def __init__(self, start: FleetStart, workers: int) -> None:
        self._begin, self._most = start, workers
        self._pool: WorkerPool[FleetJob, FleetReply] = WorkerPool(
            self._start_worker,
            ready=lambda reply: reply.ready,
            done=lambda reply: not reply.ready,
            seconds=lambda job: PATIENCE,
        )

    def _start_worker(self, supervisor: Supervisor[FleetReply]) -> ChildProcess[FleetReply]:
        words = make_module_command("weaklink.verbs.fleet.worker", safe_path=True)
        return supervisor.start(words, FleetReply, self._begin, seconds=LOADING, threads=1)

    def judge(self, jobs: Sequence[FleetJob]) -> Iterator[FleetReply]:
        """The replies as they come; where no process can be started, this one does the rest."""
        open_jobs, tries = {job.number: job for job in jobs}, dict.fromkeys((job.number for job in jobs), 0)
        try:
            self._pool.grow(min(self._most, len(jobs)))
            for job in jobs:
                self._pool.begin(job)
            while open_jobs:
                end = self._pool.finished()
                if end is None:
                    break
                tries[end.job.number] += 1
                if end.reply is None and tries[end.job.number] < MOST_TRIES:
                    self._pool.begin(end.job)
                    continue
                del open_jobs[end.job.number]
                yield end.reply or make_lost_reply(end.job, _say_end(end.worker))
        except (NotLoaded, OSError):
            self._pool.close()
        yield from HereLabour(self._begin).judge(list(open_jobs.values()))

    def close(self) -> None:
        """Ends every process."""
        self._pool.close()


def make_lost_reply(job: FleetJob, last_words: str) -> FleetReply:
    """The reply on a job that took down every worker that it was given to."""
    message = (
        f"Could not judge {job.name}: the process that read it ended, {MOST_TRIES} times ({last_words}). "
        "See whether there is enough memory, and judge it alone: `weaklink diagnose` and its path."
    )
    return FleetReply(job.number, judged=(Failure(job.name, message, own_fault=True),))


def _say_end(worker: ChildProcess[FleetReply]) -> str:
    return f"no answer within {PATIENCE:g} seconds" if worker.late else worker.last_words()


def count_cores() -> int:
    """The cores that this process may use."""
    allowed: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1
