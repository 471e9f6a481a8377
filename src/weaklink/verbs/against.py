"""`probe --against`: a trainer and a reference on one environment, with the same budget, settings and seeds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import msgspec

from weaklink.base.evidence.comparison import Comparison, Contestant
from weaklink.base.evidence.config import find_canonical_name
from weaklink.base.finding import Level
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.collect.probes.against_jobs import ContestJob, ContestResult, ContestRunner, RandomPlayResult
from weaklink.collect.probes.plan import ProbePlan, check_plan
from weaklink.collect.survey.surveyed import name_environment
from weaklink.judge.diagnosis.comparing import judge_comparison
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.probe import HyperParameters, read_hyper_parameters

Report = Callable[[str, int, int], None]
"""Told what is trained, how many trainings are done, and how many there are."""

UNEVEN = 0.1
"""Budgets that differ by more than this share are told."""


USUAL_STEPS = 20_000

PATIENCE = 1800.0
"""Seconds for one training where nobody says: six times what one on a small problem of the ladder may take."""


class AgainstOptions(msgspec.Struct, frozen=True, kw_only=True):
    """A trainer and a reference, such as `sb3:PPO`, both trained on `environment` with the same budget and seeds.

    Trainers given by words such as `module:train` train in processes of their own, functions
    `train(make_env, steps, seed)` in this one. `config` are hyper-parameters for both, each taking those that mean the
    same to it, and `gamma` stands in place of theirs. Both get `more_seeds` before an alarm is raised. `steps` are of
    each training, 0 for the usual number.
    """

    trainer: object
    reference: object
    environment: object
    steps: int = 0
    seeds: int = 3
    more_seeds: int = 2
    first_seed: int = 0
    timeout: float | None = None
    workers: int = 0
    gamma: float | None = None
    config: HyperParameters | None = None
    isolate: bool = True
    settings: RuleSettings = RuleSettings()

    @property
    def patience(self) -> float:
        """Seconds that one training may take."""
        return PATIENCE if self.timeout is None else self.timeout

    @property
    def hyper_parameters(self) -> dict[str, Any]:
        """Those for both, with the discount that was asked for."""
        given = {} if self.config is None else read_hyper_parameters(self.config)
        if self.gamma is None:
            return given
        return {
            **{name: value for name, value in given.items() if find_canonical_name(name) != "gamma"},
            "gamma": self.gamma,
        }


class Against(msgspec.Struct, frozen=True):
    """How both did, and what follows from it."""

    comparison: Comparison
    diagnosis: Diagnosis


def compare_trainers(options: AgainstOptions, report: Report | None = None) -> Against:
    """Trains both and compares them.

    Args:
        options: the two trainers, the environment, and how both are trained.
        report: called as trainings begin and end.

    Raises:
        UsageError: one of the trainers, the environment or a number cannot be used.
    """
    plan = ProbePlan(
        seeds=options.seeds,
        first_seed=options.first_seed,
        steps=options.steps or USUAL_STEPS,
        timeout=options.patience,
        gamma=options.gamma,
        workers=options.workers,
    )
    check_plan(plan)
    first, more = options.first_seed, options.first_seed + options.seeds
    began = time.monotonic()
    with ScratchFolder() as folder:
        runner = ContestRunner(
            options.trainer,
            options.reference,
            options.environment,
            options.hyper_parameters,
            folder.path,
            plan.timeout,
            plan.workers,
            options.isolate,
        )
        match = _TrainingMatch(runner, plan.steps, report or (lambda stage, done, begun: None))
        match.play(range(first, more))
        result = match.comparison(time.monotonic() - began)
        if options.more_seeds and not match.stopped and _has_alarm(judge_comparison(result, options.settings)):
            match.play(range(more, more + options.more_seeds))
            result = match.comparison(time.monotonic() - began)
    return Against(result, judge_comparison(result, options.settings))


def _has_alarm(diagnosis: Diagnosis) -> bool:
    return any(finding.level is Level.WARN for finding in diagnosis.findings)


class _TrainingMatch:
    """Both sides on their way; Ctrl-C keeps what was found."""

    def __init__(self, runner: ContestRunner, steps: int, report: Report) -> None:
        self._runner, self._steps, self._report = runner, steps, report
        self._done: list[ContestResult] = []
        self._looked = RandomPlayResult()
        self._begun = 0
        self.stopped = False

    def play(self, seeds: range) -> None:
        """Trains both with each of these seeds."""
        jobs = [ContestJob(side, self._steps, seed) for seed in seeds for side in self._runner.sides]
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
            environment=name_environment(self._runner.environment),
            steps=self._steps,
            random=self._looked.random,
            observations=len(self._looked.rows),
            actions=self._looked.actions,
            notes=tuple(_list_notes(trainer, reference)),
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


def _list_notes(trainer: Contestant, reference: Contestant) -> list[str]:
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
