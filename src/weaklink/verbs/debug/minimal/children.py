"""The processes of the emergency procedure, seen from here: one that dies or hangs is replaced and never waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from weaklink.base.errors import UsageError
from weaklink.base.outside.child import ChildProcess, Supervisor, make_module_command
from weaklink.base.outside.worker_pool import NotLoaded, WorkerPool
from weaklink.verbs.debug.minimal.evidence import MinimalLook, TrainingAttempt
from weaklink.verbs.debug.minimal.plan import AttemptJob, AttemptReply, AttemptStart, MinimalPlan
from weaklink.verbs.debug.target import CaseTarget

LOADING = 120.0
"""Seconds that importing a target and a framework and looking at them may take."""

GRACE = 30.0
"""Seconds beyond its own that a training may take to come back."""

Report = Callable[[str, int], None]


class AttemptPool:
    """Workers that load the target once and train again and again."""

    def __init__(self, target: CaseTarget, plan: MinimalPlan, report: Report | None = None) -> None:
        self._target, self._plan, self._report, self._look = target, plan, report, True
        self._workers: WorkerPool[AttemptJob, AttemptReply] = WorkerPool(
            self._start_worker,
            ready=lambda reply: reply.ready,
            done=lambda reply: reply.attempt is not None,
            seconds=lambda job: 2.0 * job.seconds + GRACE,
            news=self._tell,
        )

    def _start_worker(self, supervisor: Supervisor[AttemptReply]) -> ChildProcess[AttemptReply]:
        plan, target = self._plan, self._target
        begin = AttemptStart(target=target, seed=plan.seed, look=self._look, seconds=min(10.0, plan.seconds / 5))
        words = make_module_command("weaklink.verbs.debug.minimal.worker")
        return supervisor.start(words, AttemptReply, begin, seconds=LOADING, folder=target.folder, threads=1)

    def looked(self) -> MinimalLook:
        """What is known of the target, once the first worker has loaded it.

        Raises:
            UsageError: it cannot be loaded.
        """
        try:
            looked = self._workers.load().looked
        except NotLoaded as failure:
            if failure.reply is not None:
                raise UsageError(failure.reply.unusable) from None
            name = self._target.word or self._target.name
            how = "took too long" if failure.worker.late else f"ended the whole process: {failure}"
            raise UsageError(f"Loading {name} and looking at it {how}.") from None
        assert looked is not None
        self._look = False
        return looked

    def attempts(self, jobs: Sequence[AttemptJob]) -> Iterator[TrainingAttempt]:
        """The trainings as they end."""
        self._workers.grow(min(self._plan.workers, len(jobs)))
        for job in jobs:
            self._workers.begin(job)
        while self._workers.open:
            try:
                end = self._workers.finished()
            except NotLoaded as failure:
                why = failure.reply.unusable if failure.reply is not None else str(failure)
                raise UsageError(f"No other process can load the target, though the first one could: {why}.") from None
            assert end is not None
            why = "it did not come back in time" if end.worker.late else end.worker.last_words()
            lost = TrainingAttempt(task=end.job.task.name, seed=end.job.seed, failure=why)
            yield lost if end.reply is None else end.reply.attempt or lost

    def _tell(self, job: AttemptJob, reply: AttemptReply) -> None:
        if self._report is not None and reply.steps is not None:
            self._report(f"{job.task.name}, seed {job.seed}", reply.steps)

    def close(self) -> None:
        """Ends every worker."""
        self._workers.close()
