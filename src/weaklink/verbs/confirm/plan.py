"""How an experiment is carried out, and what the designs are given to work with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from weaklink.base.backports import Self
from weaklink.base.errors import UsageError
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.verbs.confirm.experiment import ExperimentArm
from weaklink.verbs.confirm.job import LOOK, ExperimentJob, JobReply, TargetParts
from weaklink.verbs.confirm.runner import ExperimentRunner
from weaklink.verbs.debug.folder import INDEX, CaseFolder
from weaklink.verbs.debug.options import STEPS
from weaklink.verbs.debug.target import CaseTarget, parse_target

Report = Callable[[str, int, int], None]
"""Told what is being done, how many parts are done, and how many there are."""

BOUNDS = {
    "seeds": (2, 200),
    "first_seed": (0, 2**31 - 1000),
    "steps": (0, 2**53),
    "seconds": (10.0, 86_400.0),
    "workers": (0, 512),
}
OPTIONS = {"first_seed": "seed"}


class ExperimentPlan(msgspec.Struct, frozen=True, kw_only=True):
    """`seeds` a side from `first_seed` on; `steps` of each training, 0 for what the target says; `seconds` for all."""

    seeds: int = 5
    first_seed: int = 1
    steps: int = 0
    seconds: float = 300.0
    workers: int = 0

    @property
    def numbers(self) -> range:
        """The seeds."""
        return range(self.first_seed, self.first_seed + self.seeds)


class ExperimentSubject(msgspec.Struct, frozen=True):
    """What an experiment is made with, and the steps of the run in which its findings were made, 0 where unknown."""

    target: CaseTarget
    steps_known: int = 0


def parse_subject(
    word: str, *, algorithm: str = "", environment: str = "", hyper_parameters: Iterable[str] = ()
) -> ExperimentSubject:
    """The subject of a word: `file.py`, `module`, `module:name`, or the folder of a case; the rest is as for a target.

    Raises:
        UsageError: it can be neither a case nor a target.
    """
    if word and (Path(word) / INDEX).is_file():
        index = CaseFolder.read(Path(word)).index
        return ExperimentSubject(index.target, index.ended.steps if index.ended is not None else 0)
    return ExperimentSubject(
        parse_target(word, algorithm=algorithm, environment=environment, settings=hyper_parameters)
    )


def check_plan(plan: ExperimentPlan) -> ExperimentPlan:
    """The plan, its numbers within what makes sense."""
    for name, (low, high) in BOUNDS.items():
        value = getattr(plan, name)
        if not low <= value <= high:
            called = OPTIONS.get(name, name)
            raise UsageError(f"--{called} must be at least {low:g} and at most {high:g}, not {value:g}.")
    return plan


@dataclass
class ExperimentContext:
    """A target, a plan, and the processes that do the work. Ctrl-C sets `stopped` and keeps what is known."""

    target: CaseTarget
    plan: ExperimentPlan
    folder: Path
    runner: ExperimentRunner
    report: Report
    deadline: float = 0.0
    began: float = field(default_factory=time.monotonic)
    stopped: bool = False
    steps_known: int = 0
    found: TargetParts | None = None
    _done: int = 0

    @classmethod
    @contextmanager
    def of(cls, subject: ExperimentSubject, plan: ExperimentPlan, report: Report | None) -> Iterator[Self]:
        """A folder and processes for one experiment, gone when it ends."""
        with ScratchFolder() as scratch:
            given = cls(
                target=subject.target,
                plan=plan,
                folder=scratch.path,
                runner=ExperimentRunner(scratch.path, plan.workers),
                report=report or (lambda what, done, whole: None),
                deadline=time.monotonic() + plan.seconds,
                steps_known=subject.steps_known,
            )
            try:
                yield given
            finally:
                given.runner.close()

    @property
    def word(self) -> str:
        """What to call the target."""
        return self.target.word or self.target.name

    def look(self) -> TargetParts:
        """What the target has; it is loaded once for that.

        Raises:
            UsageError: it cannot be loaded, or is no target.
        """
        if self.found is None:
            job = ExperimentJob(kind=LOOK, target=self.target, seconds=self.plan.seconds)
            for _, reply in self.runner.carried_out([job]):
                if reply.found is None:
                    failed = reply.tried.failure if reply.tried is not None else ""
                    raise UsageError(reply.unusable or f"Loading {self.word} did not come to an end: {failed}.")
                self.found = reply.found
        assert self.found is not None
        return self.found

    @property
    def steps(self) -> int:
        """Of each training: as asked for, as the run lasted in which the finding was made, or as the target says."""
        return self.plan.steps or self.steps_known or self.look().steps or STEPS

    def share(self, rounds: int) -> float:
        """Seconds of one job where so many follow each other in each worker."""
        return max((self.deadline - time.monotonic()) / max(rounds, 1), 5.0)

    def replies(self, jobs: list[ExperimentJob], what: str, whole: int = 0) -> list[tuple[ExperimentJob, JobReply]]:
        """Does jobs and gathers what comes of them.

        Raises:
            UsageError: the target cannot be used for them.
        """
        gathered: list[tuple[ExperimentJob, JobReply]] = []
        total = self._done + (whole or len(jobs))
        self.report(what, self._done, total)
        try:
            for job, reply in self.runner.carried_out(jobs, self.deadline):
                if reply.unusable:
                    raise UsageError(reply.unusable)
                gathered.append((job, reply))
                self._done += 1
                self.report(what, self._done, total)
        except KeyboardInterrupt:
            self.stopped = True
            self.runner.close()
        return sorted(gathered, key=lambda pair: pair[0].seed)

    def arm(self, name: str, jobs: list[ExperimentJob], whole: int = 0) -> ExperimentArm:
        """The trainings of one arm."""
        return self.put_together(name, self.replies(jobs, name, whole))

    def put_together(self, name: str, replies: Iterable[tuple[ExperimentJob, JobReply]]) -> ExperimentArm:
        """The arm that replies make."""
        return ExperimentArm(name=name, tried=tuple(reply.tried for _, reply in replies if reply.tried is not None))
