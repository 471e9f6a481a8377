"""Jobs of an experiment side by side, each in a process of its own, within a time."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from weaklink.base.outside.child import ChildProcess, Supervisor, make_module_command
from weaklink.base.outside.lending import count_room, is_lent
from weaklink.base.outside.output import last_words
from weaklink.verbs.confirm.experiment import SeedResult
from weaklink.verbs.confirm.job import PRINTED, REPLY, REQUEST, ExperimentJob, JobEnded, JobOrder, JobReply
from weaklink.verbs.debug.target import CaseTarget

POLL = 0.1
MOST_AT_ONCE = 8
STARTING, GRACE = 120.0, 30.0
"""Seconds that loading the frameworks may take, and that a job may take beyond its own time."""

SHOWN_CHARACTERS = 1500
_FRAMEWORKS = re.compile(rb"\b(torch|stable_baselines3|sb3_contrib)\b")


class _BusyServer(NamedTuple):
    """Who does a job, and until when it is waited for."""

    job: ExperimentJob
    limit: float
    server: ChildProcess[JobEnded]


class ExperimentRunner:
    """Has jobs done by a server that is started with the first of them; one that dies is replaced.

    On machines that are lent for it there is a server for each job at a time, since each may be on another one.
    """

    def __init__(self, folder: Path, workers: int = 0) -> None:
        self.room = count_room(workers, MOST_AT_ONCE)
        self._most_servers = self.room if is_lent() else 1
        self._folder = folder
        self._supervisor: Supervisor[JobEnded] = Supervisor()
        self._warm: set[ChildProcess[JobEnded]] = set()
        self._busy: dict[str, _BusyServer] = {}
        self._given = 0

    def carried_out(
        self, jobs: list[ExperimentJob], deadline: float = float("inf")
    ) -> Iterator[tuple[ExperimentJob, JobReply]]:
        """Each job as it ends; those that were not begun before the deadline are left out."""
        waiting = list(jobs)
        while self._busy or (waiting and time.monotonic() < deadline):
            while waiting and len(self._busy) < self.room and time.monotonic() < deadline:
                self._begin(waiting.pop(0))
            yield from self._ended()

    def _begin(self, job: ExperimentJob) -> None:
        self._given += 1
        folder = self._folder / f"{job.kind}-{self._given}"
        folder.mkdir(parents=True)
        (folder / REQUEST).write_bytes(msgspec.json.encode(job))
        server = self._find_server()
        starting = 0.0 if server in self._warm else STARTING
        self._busy[str(folder)] = _BusyServer(job, time.monotonic() + job.seconds + GRACE + starting, server)
        server.say(JobOrder(folder=str(folder), frameworks=needs_frameworks(job.target)))

    def _find_server(self) -> ChildProcess[JobEnded]:
        """The one that has the least to do, or another one where all have something and there may be more."""
        jobs = Counter(busy.server for busy in self._busy.values())
        idlest = min(self._supervisor.children, key=lambda server: jobs[server], default=None)
        if idlest is not None and (not jobs[idlest] or len(self._supervisor.children) >= self._most_servers):
            return idlest
        return self._supervisor.start(make_module_command("weaklink.verbs.confirm.worker"), JobEnded, threads=1)

    def _ended(self) -> Iterator[tuple[ExperimentJob, JobReply]]:
        """The jobs that ended just now, one way or the other."""
        event = self._supervisor.wait(POLL)
        if event is not None and event[1] is None:
            yield from self._lose(event[0])
        elif event is not None and event[1] is not None:
            self._warm.add(event[0])
            folder, status = event[1].folder, event[1].status
            if folder in self._busy:
                job = self._busy.pop(folder).job
                yield job, _read_reply(job, Path(folder), status)
        late = [folder for folder, busy in self._busy.items() if time.monotonic() > busy.limit]
        for folder in late:
            job, _, server = self._busy.pop(folder)
            server.say(JobOrder(folder=folder, end=True))
            yield job, _report_loss(job, Path(folder), f"no end within {job.seconds + GRACE:.0f} seconds")

    def _lose(self, server: ChildProcess[JobEnded]) -> Iterator[tuple[ExperimentJob, JobReply]]:
        """The jobs of a server that died."""
        for folder in [folder for folder, busy in self._busy.items() if busy.server is server]:
            job = self._busy.pop(folder).job
            yield job, _report_loss(job, Path(folder), f"the whole process died of {server.last_words()}")

    def close(self) -> None:
        """Ends the server and whatever it does."""
        self._supervisor.close()
        self._busy.clear()


def needs_frameworks(target: CaseTarget) -> bool:
    """Whether torch is worth loading beforehand: a file that does not name it is quicker without."""
    if target.algorithm or target.file is None:
        return True
    try:
        return bool(_FRAMEWORKS.search(target.file.read_bytes()))
    except OSError:
        return False


def _read_reply(job: ExperimentJob, folder: Path, status: int) -> JobReply:
    try:
        return msgspec.msgpack.decode((folder / REPLY).read_bytes(), type=JobReply)
    except (OSError, msgspec.DecodeError):
        return _report_loss(job, folder, f"the whole process died of {last_words(status, _read_printed(folder))}")


def _report_loss(job: ExperimentJob, folder: Path, why: str) -> JobReply:
    last = next((line.strip() for line in reversed(_read_printed(folder).splitlines()) if line.strip()), "")
    told = why if not last or last[:200] in why else f"{why}: {last[:200]}"
    return JobReply(tried=SeedResult(seed=job.seed, failure=told))


def _read_printed(folder: Path) -> str:
    try:
        return (folder / PRINTED).read_text(encoding="utf-8", errors="replace")[-SHOWN_CHARACTERS:]
    except OSError:
        return ""
