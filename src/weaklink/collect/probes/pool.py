"""Trainings in processes of their own, several side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.outcome import RungTrial
from weaklink.base.evidence.traits import Traits
from weaklink.base.outside.child import ChildProcess, Supervisor, make_module_command
from weaklink.base.outside.worker_pool import NotLoaded, WorkerPool
from weaklink.collect.probes.ladder import ProbeJob
from weaklink.collect.probes.plan import ProbePlan
from weaklink.collect.probes.worker import ProbeReply, ProbeRequest

LOADING = 600.0
"""Seconds that importing a trainer may take."""

SHOWN_CHARACTERS = 1500
FEW = 2


class ProbePool:
    """Workers that load the trainer once and train again and again."""

    def __init__(self, trainer: str, plan: ProbePlan, settings: Mapping[str, Any] | None = None) -> None:
        """Loads the trainer.

        Raises:
            UsageError: it cannot be loaded.
        """
        self._request = ProbeRequest(trainer, None if settings is None else dict(settings), plan.gamma)
        self._timeout = plan.timeout
        self.workers: WorkerPool[ProbeJob, ProbeReply] = WorkerPool(
            self._start_worker,
            ready=lambda reply: reply.traits is not None,
            done=lambda reply: reply.trial is not None,
            seconds=lambda job: plan.timeout,
        )
        try:
            self.traits = self.workers.load().traits or Traits()
        except NotLoaded as failure:
            raise UsageError(self._why_not_loaded(failure)) from None
        # importing a language trainer costs more than a rung
        few = self.traits.language and not plan.workers
        self.workers.grow(min(plan.processes, FEW) if few else plan.processes)

    def _start_worker(self, supervisor: Supervisor[ProbeReply]) -> ChildProcess[ProbeReply]:
        words = make_module_command("weaklink.collect.probes.worker")
        return supervisor.start(words, ProbeReply, self._request, seconds=LOADING, threads=1)

    @property
    def room(self) -> int:
        """How many trainings can be made side by side."""
        return self.workers.size

    def begin(self, job: ProbeJob) -> None:
        """Gives it to a worker that is idle, at once or as soon as there is one."""
        self.workers.begin(job)

    def finished(self) -> tuple[ProbeJob, RungTrial]:
        """Waits for the next training that ends, one way or the other.

        Raises:
            UsageError: no worker is left, because the trainer cannot be loaded again.
        """
        try:
            end = self.workers.finished()
        except NotLoaded as failure:
            raise UsageError(
                "Every process must be able to load the trainer; the first could, and none can any more. "
                f"{self._why_not_loaded(failure)} "
                "See what the first left behind (a lock, a port, a file), or whether the machine is out of memory."
            ) from None
        assert end is not None
        trial = None if end.reply is None else end.reply.trial
        return end.job, trial or self._lost(end.job, end.worker)

    def _lost(self, job: ProbeJob, worker: ChildProcess[ProbeReply]) -> RungTrial:
        """The trial of a training that did not come back."""
        died = f"the whole process died: {worker.last_words()}"
        return RungTrial(
            seed=job.seed,
            steps=job.steps,
            seconds=worker.taken,
            failure=f"no end within {self._timeout:g} seconds" if worker.late else died,
            kind="hung" if worker.late else "died",
            printed=worker.printed[-SHOWN_CHARACTERS:],
        )

    def _why_not_loaded(self, failure: NotLoaded[ProbeReply]) -> str:
        if failure.reply is not None:
            return failure.reply.unusable
        if failure.worker.late:
            return f"Loading {self._request.trainer} took longer than {LOADING:g} seconds."
        return f"Loading {self._request.trainer} ended the whole process: {failure.worker.last_words()}."

    def close(self) -> None:
        """Ends every worker."""
        self.workers.close()
