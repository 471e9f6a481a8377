"""Carries the experiment of a finding out: confirmed, refuted or undecided, with the numbers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.evidence.critic import CriticFit
from weaklink.base.outside.ownership import ScratchFolder
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm._registry import designs_for, rule_with_experiment
from weaklink.verbs.confirm.critic import FEWEST_ROWS
from weaklink.verbs.confirm.experiment import Answer, Experiment
from weaklink.verbs.confirm.job import CRITIC, Job
from weaklink.verbs.confirm.plan import Given, Plan, Report, checked
from weaklink.verbs.confirm.runner import ExperimentRunner
from weaklink.verbs.debug.folder import INDEX, CaseFolder
from weaklink.verbs.debug.target import Target, target_of

MOST_ROWS = 1_000_000


def subject_of(word: str, **flags: Any) -> tuple[Target, int]:
    """The target of a word, which may be a case folder, and how long the run was in which findings were made.

    Args:
        word: `file.py`, `module`, `module:name`, or the folder of a case.
        flags: those of `target_of`: `algorithm`, `environment`, `settings`.
    """
    if word and (Path(word) / INDEX).is_file():
        index = CaseFolder.read(Path(word)).index
        return index.target, index.ended.steps if index.ended is not None else 0
    return target_of(word, **flags), 0


def confirm(
    code: str, target: Target, plan: Plan | None = None, *, steps_known: int = 0, report: Report | None = None
) -> Answer:
    """Carries one experiment out.

    Args:
        code: of the rule whose finding is to be proven, or its name.
        target: what to train or to survey.
        plan: seeds, steps and time.
        steps_known: of the run in which the finding was made.
        report: called with what is done, how many parts are done, and how many there are.

    Raises:
        UsageError: there is no experiment for it, or the target cannot be used for it.
    """
    rule, chosen = rule_with_experiment(code), checked(plan or Plan())
    began = time.monotonic()
    with ScratchFolder() as folder:
        given = _given(target, chosen, folder.path, steps_known, report)
        try:
            design, experiment = _design(rule, given)
            given.deadline = time.monotonic() + chosen.seconds  # loading what the target needs is not counted
            answer: Answer = design.carried_out(experiment, rule, given)
        finally:
            given.runner.close()
    return msgspec.structs.replace(
        answer,
        level=rule.level.word,
        seconds=time.monotonic() - began,
        stopped=given.stopped,
        notes=(*answer.notes, *_remarks(answer, given)),
    )


def _given(target: Target, plan: Plan, folder: Path, steps_known: int, report: Report | None) -> Given:
    return Given(
        target=target,
        plan=plan,
        folder=folder,
        runner=ExperimentRunner(folder, plan.workers),
        report=report or (lambda what, done, whole: None),
        deadline=time.monotonic() + plan.seconds,
        steps_known=steps_known,
    )


def _design(rule: Rule, given: Given) -> tuple[Any, Experiment]:
    """The most telling design that this target can be put to."""
    found = given.look()
    reasons = []
    for design, experiment in designs_for(rule):
        reason = design.unfit(found)
        if not reason:
            return design, experiment
        reasons.append(reason)
    raise UsageError(f"{rule.code} cannot be proven with {given.word}: {reasons[0]}. Add make_model(env) or train.")


def _remarks(answer: Answer, given: Given) -> list[str]:
    """What went otherwise than planned."""
    told = []
    failed = [one.failure for arm in answer.arms for one in arm.tried if one.failure]
    if failed:
        told.append(
            f"{len(failed)} of {sum(len(arm.tried) for arm in answer.arms)} did not come to an end: {failed[0]}."
        )
    short = [one.steps for arm in answer.arms for one in arm.whole if 0 < one.steps < 0.9 * answer.steps]
    if short and answer.experiment.change is not None:
        told.append(
            f"Trainings were cut at {min(short):,} of {answer.steps:,} steps by the time: --seconds gives more."
        )
    left = given.plan.seeds * len(answer.arms) - sum(len(arm.tried) for arm in answer.arms)
    if left > 0 and not given.stopped:
        told.append(f"{left} seeds were not begun before the time was up: --seconds gives more.")
    return told


FITTING = 20.0
"""Seconds that are kept for the fits after the training."""


def fit_critic(
    target: Target, plan: Plan | None = None, *, rows: int = 0, steps_known: int = 0, report: Report | None = None
) -> CriticFit:
    """Trains a target, freezes its policy and fits its critic alone to one rollout.

    Args:
        target: with `make_model(env)`, or with a `train` whose agent shows its critic.
        plan: `steps` before the fit (0 for a policy that has learned nothing, -1 for as many as the target says),
            `first_seed` and the time.
        rows: of the rollout.
        steps_known: of the run in which the finding was made.
        report: called with what is done.

    Raises:
        UsageError: the target has no critic that can be looked at.
    """
    chosen = plan or Plan(steps=-1)
    if rows and not FEWEST_ROWS <= rows <= MOST_ROWS:
        raise UsageError(f"--rows must be at least {FEWEST_ROWS} and at most {MOST_ROWS:,}, not {rows:,}.")
    checked(msgspec.structs.replace(chosen, steps=max(chosen.steps, 0)))
    with ScratchFolder() as folder:
        asked = msgspec.structs.replace(chosen, steps=max(chosen.steps, 0))
        given = _given(target, asked, folder.path, steps_known, report)
        try:
            steps = given.steps if chosen.steps < 0 else chosen.steps
            job = Job(kind=CRITIC, target=target, steps=steps, seed=chosen.first_seed, rows=rows, seconds=FITTING)
            seconds = max(chosen.seconds - FITTING, FITTING)
            replies = given.replies([msgspec.structs.replace(job, seconds=seconds)], "the critic alone")
        finally:
            given.runner.close()
    if given.stopped:
        raise KeyboardInterrupt
    reply = replies[0][1]
    if reply.critic is None:
        failed = reply.tried.failure if reply.tried is not None else "its time was up"
        raise UsageError(f"The training did not come to an end: {failed}.")
    return reply.critic
