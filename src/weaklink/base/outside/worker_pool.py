"""Workers that load the user's code once and do one job after the other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from weaklink.base.outside.child import ChildProcess, Supervisor

Job = TypeVar("Job")
Reply = TypeVar("Reply")


@dataclass(frozen=True)
class JobEnd(Generic[Job, Reply]):
    """A job that ended; without a reply its worker died, or its time was up."""

    job: Job
    reply: Reply | None
    worker: ChildProcess[Reply]


class NotLoaded(Exception, Generic[Reply]):
    """No worker is left, because what it is to run cannot be loaded."""

    def __init__(self, worker: ChildProcess[Reply], reply: Reply | None) -> None:
        super().__init__(worker.last_words())
        self.worker, self.reply = worker, reply


class WorkerPool(Generic[Job, Reply]):
    """A job goes to a worker that is idle; a worker that dies or is late is replaced.

    A worker is loading, idle or busy. Only one that was idle or busy is replaced: where the user's code cannot be
    loaded once more, the others go on without it.

    Args:
        start: starts a worker, with the seconds that loading may take.
        ready: whether a reply says that a worker has loaded.
        done: whether a reply ends a job; others are news.
        seconds: how long a job may take.
        news: told the news of a job.
    """

    def __init__(
        self,
        start: Callable[[Supervisor[Reply]], ChildProcess[Reply]],
        *,
        ready: Callable[[Reply], bool],
        done: Callable[[Reply], bool],
        seconds: Callable[[Job], float],
        news: Callable[[Job, Reply], None] = lambda job, reply: None,
    ) -> None:
        self.supervisor: Supervisor[Reply] = Supervisor()
        self._start, self._ready, self._done = start, ready, done
        self._seconds, self._news = seconds, news
        self._waiting: list[Job] = []
        self._idle: list[ChildProcess[Reply]] = []
        self._busy: dict[ChildProcess[Reply], Job] = {}

    @property
    def size(self) -> int:
        """How many workers there are."""
        return len(self.supervisor.children)

    @property
    def open(self) -> int:
        """How many jobs wait or are being done."""
        return len(self._waiting) + len(self._busy)

    def grow(self, size: int) -> None:
        """Starts workers until there are so many."""
        while self.size < size:
            self._start(self.supervisor)

    def load(self) -> Reply:
        """Starts the first worker and waits until it has loaded.

        Raises:
            NotLoaded: it cannot.
        """
        worker = self._start(self.supervisor)
        try:
            event = self.supervisor.wait()
            reply = None if event is None else event[1]
            if reply is None or not self._ready(reply):
                self.supervisor.end(worker)
                raise NotLoaded(worker, reply)
        except BaseException:  # Ctrl-C too: nobody could close what was never made
            self.close()
            raise
        self._free(worker)
        return reply

    def begin(self, job: Job) -> None:
        """Gives it to a worker that is idle, at once or as soon as there is one."""
        self._waiting.append(job)
        self._hand_out()

    def _hand_out(self) -> None:
        alive = [worker for worker in self._idle if not worker.closed]  # one may have answered and died
        while self._waiting and alive:
            worker, job = alive.pop(0), self._waiting.pop(0)
            self._idle.remove(worker)
            self._busy[worker] = job
            worker.allow(self._seconds(job))
            worker.say(job)

    def _free(self, worker: ChildProcess[Reply]) -> None:
        worker.allow(float("inf"))
        self._idle.append(worker)
        self._hand_out()

    def finished(self, seconds: float = float("inf")) -> JobEnd[Job, Reply] | None:
        """The next job that ends, one way or the other; None where nothing happens for so many seconds.

        Raises:
            NotLoaded: no worker is left.
        """
        while (event := self.supervisor.wait(seconds)) is not None:
            end = self._take(*event)
            if end is not None:
                return end
        return None

    def _take(self, worker: ChildProcess[Reply], reply: Reply | None) -> JobEnd[Job, Reply] | None:
        if worker in self._busy:
            return self._take_from_busy(worker, reply)
        if worker in self._idle:
            if reply is None:
                self._idle.remove(worker)
                self._start(self.supervisor)
        elif reply is not None and self._ready(reply):
            self._free(worker)
        else:
            self.supervisor.end(worker)
            if not self.size:
                raise NotLoaded(worker, reply)
        return None

    def _take_from_busy(self, worker: ChildProcess[Reply], reply: Reply | None) -> JobEnd[Job, Reply] | None:
        if reply is not None and not self._done(reply):
            self._news(self._busy[worker], reply)
            return None
        job = self._busy.pop(worker)
        if reply is None:
            self._start(self.supervisor)
        else:
            self._free(worker)
        return JobEnd(job, reply, worker)

    def close(self) -> None:
        """Ends every worker."""
        self.supervisor.close()
