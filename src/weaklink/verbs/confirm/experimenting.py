"""`confirm`: carries the experiment of a finding out: confirmed, refuted or undecided, with the numbers."""

from __future__ import annotations

import time
from typing import Any

import msgspec

from weaklink.base.errors import UsageError
from weaklink.judge.rules._registry import Rule
from weaklink.verbs.confirm._registry import find_designs, find_provable_rule
from weaklink.verbs.confirm.experiment import Answer, Experiment
from weaklink.verbs.confirm.plan import ExperimentContext, ExperimentPlan, ExperimentSubject, Report, check_plan


class ConfirmOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The `code` or name of the rule whose finding is to be proven, and the `subject` to train or to survey."""

    code: str
    subject: ExperimentSubject
    plan: ExperimentPlan = ExperimentPlan()


def confirm(options: ConfirmOptions, report: Report | None = None) -> Answer:
    """Carries one experiment out; Ctrl-C keeps what is known by then.

    Args:
        options: the finding, the subject, and seeds, steps and time.
        report: called with what is done, how many parts are done, and how many there are.

    Raises:
        UsageError: there is no experiment for it, or the target cannot be used for it.
    """
    rule, plan = find_provable_rule(options.code), check_plan(options.plan)
    began = time.monotonic()
    with ExperimentContext.of(options.subject, plan, report) as given:
        design, experiment = _pick_design(rule, given)
        given.deadline = time.monotonic() + plan.seconds  # loading what the target needs is not counted
        answer: Answer = design.carried_out(experiment, rule, given)
    return msgspec.structs.replace(
        answer,
        level=rule.level.word,
        seconds=time.monotonic() - began,
        stopped=given.stopped,
        notes=(*answer.notes, *_list_remarks(answer, given)),
    )


def _pick_design(rule: Rule, given: ExperimentContext) -> tuple[Any, Experiment]:
    """The most telling design that this target can be put to."""
    found = given.look()
    reasons = []
    for design, experiment in find_designs(rule):
        reason = design.unfit(found)
        if not reason:
            return design, experiment
        reasons.append(reason)
    raise UsageError(f"{rule.code} cannot be proven with {given.word}: {reasons[0]}. Add make_model(env) or train.")


def _list_remarks(answer: Answer, given: ExperimentContext) -> list[str]:
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
