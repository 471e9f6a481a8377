"""Jobs of an experiment side by side, each in a process of its own, within a time."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from weaklink.base.outside.child import Supervisor, make_module_command
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


class ExperimentRunner:
    """Has jobs done by a server that is started with the first of them; one that dies is replaced."""

    def __init__(self, folder: Path, workers: int = 0) -> None:
        self.room = workers or max(1, min(os.cpu_count() or 1, MOST_AT_ONCE))
        self._folder = folder
        self._supervisor: Supervisor[JobEnded] = Supervisor()
        self._starting = STARTING
        self._busy: dict[str, tuple[ExperimentJob, float]] = {}
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
        if not self._supervisor.children:
            self._supervisor.start(make_module_command("weaklink.verbs.confirm.worker"), JobEnded, threads=1)
            self._starting = STARTING
        self._busy[str(folder)] = job, time.monotonic() + job.seconds + GRACE + self._starting
        self._order(JobOrder(folder=str(folder), frameworks=needs_frameworks(job.target)))

    def _order(self, order: JobOrder) -> None:
        for server in self._supervisor.children:
            server.say(order)

    def _ended(self) -> Iterator[tuple[ExperimentJob, JobReply]]:
        """The jobs that ended just now, one way or the other."""
        event = self._supervisor.wait(POLL)
        if event is not None and event[1] is None:
            yield from self._all_lost(event[0].last_words())
        elif event is not None and event[1] is not None:
            self._starting = 0.0
            folder, status = event[1].folder, event[1].status
            if folder in self._busy:
                job, _ = self._busy.pop(folder)
                yield job, _read_reply(job, Path(folder), status)
        late = [folder for folder, (_, limit) in self._busy.items() if time.monotonic() > limit]
        for folder in late:
            job, _ = self._busy.pop(folder)
            self._order(JobOrder(folder=folder, end=True))
            yield job, _report_loss(job, Path(folder), f"no end within {job.seconds + GRACE:.0f} seconds")

    def _all_lost(self, how: str) -> Iterator[tuple[ExperimentJob, JobReply]]:
        lost = list(self._busy.items())
        self.close()
        for folder, (job, _) in lost:
            yield job, _report_loss(job, Path(folder), f"the whole process died of {how}")

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
