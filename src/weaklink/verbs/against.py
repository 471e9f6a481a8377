"""A trainer against a reference: both on one environment, with the same budget, settings and seeds."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.comparison import Comparison, Contestant
from weaklink.base.finding import Level
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.collect.probes.against_jobs import ContestRunner, Done, Job, Looked
from weaklink.collect.survey.surveyed import called
from weaklink.judge.diagnosis.comparing import judged
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import Settings

Report = Callable[[str, int, int], None]
"""Told what is trained, how many trainings are done, and how many there are."""

UNEVEN = 0.1
"""Budgets that differ by more than this share are told."""


class Against(msgspec.Struct, frozen=True):
    """How both did, and what follows from it."""

    comparison: Comparison
    diagnosis: Diagnosis


def against(
    trainer: Any,
    reference: Any,
    environment: Any,
    steps: int,
    seeds: int = 3,
    settings: Mapping[str, Any] | None = None,
    report: Report | None = None,
    *,
    more_seeds: int = 2,
    first_seed: int = 0,
    timeout: float = 1800.0,
    workers: int = 0,
    isolate: bool = True,
    rules: Settings | None = None,
) -> Against:
    """Trains both and compares them.

    Args:
        trainer: `module:train`, `sb3:PPO` and the like, each training in a process of its own, or a function
            `train(make_env, steps, seed)`, trained in this one.
        reference: the same, usually `sb3:PPO`.
        environment: a Gymnasium id, `module:factory`, or a function that makes one.
        steps: of each training.
        seeds: how many trainings each gets.
        settings: hyper-parameters for both, each taking those that mean the same to it.
        report: called as trainings begin and end.
        more_seeds: how many more each gets before an alarm is raised.
        first_seed: of the seeds, which count up from here.
        timeout: seconds for one training.
        workers: how many trainings run at once; 0 leaves it to the machine.
        isolate: False trains words in this process too.
        rules: which rules to ask, and with which thresholds.

    Raises:
        UsageError: one of the trainers, the environment or a number cannot be used.
    """
    _check(steps, seeds, timeout, workers)
    began = time.monotonic()
    with ScratchFolder() as folder:
        given = dict(settings or {})
        runner = ContestRunner(trainer, reference, environment, given, folder.path, timeout, workers, isolate)
        match = _Match(runner, steps, report or (lambda stage, done, begun: None))
        match.play(range(first_seed, first_seed + seeds))
        result = match.comparison(time.monotonic() - began)
        if more_seeds and not match.stopped and _alarming(judged(result, rules)):
            match.play(range(first_seed + seeds, first_seed + seeds + more_seeds))
            result = match.comparison(time.monotonic() - began)
    return Against(result, judged(result, rules))


def _check(steps: int, seeds: int, timeout: float, workers: int) -> None:
    bounds = {"steps": (steps, 1, 10**10), "seeds": (seeds, 1, 1000), "timeout": (timeout, 1, 10**6)}
    for name, (value, low, high) in {**bounds, "workers": (workers, 0, 512)}.items():
        if not low <= value <= high:
            raise UsageError(f"--{name} must be between {low:,} and {high:,}, not {value:,}.")


def _alarming(diagnosis: Diagnosis) -> bool:
    return any(finding.level is Level.WARN for finding in diagnosis.findings)


class _Match:
    """Both sides on their way; Ctrl-C keeps what was found."""

    def __init__(self, runner: ContestRunner, steps: int, report: Report) -> None:
        self._runner, self._steps, self._report = runner, steps, report
        self._done: list[Done] = []
        self._looked = Looked()
        self._begun = 0
        self.stopped = False

    def play(self, seeds: range) -> None:
        """Trains both with each of these seeds."""
        jobs = [Job(side, self._steps, seed) for seed in seeds for side in self._runner.sides]
        whole = self._begun + len(jobs)
        try:
            if not self._begun:
                self._report("random play", 0, whole)
                self._looked = self._runner.looked()
            self._begun = whole
            self._report("training", len(self._done), whole)
            for done in self._runner.carried_out(jobs):
                self._done.append(done)
                self._report("training", len(self._done), whole)
        except KeyboardInterrupt:
            self.stopped = True
        finally:
            self._runner.close()

    def comparison(self, seconds: float) -> Comparison:
        """What was found so far."""
        trainer, reference = (self._contestant(side) for side in self._runner.sides)
        return Comparison(
            trainer=trainer,
            reference=reference,
            environment=called(self._runner.environment),
            steps=self._steps,
            random=self._looked.random,
            observations=len(self._looked.rows),
            actions=self._looked.actions,
            notes=tuple(_notes(trainer, reference)),
            seconds=seconds,
            stopped=self.stopped,
        )

    def _contestant(self, side: str) -> Contestant:
        done = sorted((each for each in self._done if each.job.side == side), key=lambda each: each.job.seed)
        return Contestant(
            name=self._runner.name(side),
            trainings=tuple(each.training for each in done),
            settings=next((each.settings for each in done if each.settings), {}),
            notes=next((each.notes for each in done if each.notes), ()),
        )


def _notes(trainer: Contestant, reference: Contestant) -> list[str]:
    notes = [f"{side.name}: {note}" for side in (trainer, reference) for note in side.notes]
    for side in (trainer, reference):
        notes += sorted({f"{side.name}: {note}" for each in side.whole for note in each.notes})
        notes += sorted({f"{side.name} failed: {each.failure}" for each in side.failed})
        uneven = [each for each in side.whole if each.taken and abs(each.taken / each.steps - 1.0) > UNEVEN]
        if uneven:
            notes.append(f"{side.name} took {uneven[0].taken:,} steps where {uneven[0].steps:,} were asked for")
        if side.whole and not any(each.taken for each in side.whole):
            notes.append(f"{side.name}: its environments could not be watched in training, so it has no curve")
    gammas = {each.gamma for side in (trainer, reference) for each in side.whole}
    if len(gammas) > 1:
        notes.append(f"the discounts differ: {', '.join(f'{gamma:g}' for gamma in sorted(g for g in gammas if g))}")
    return notes
