"""The words about a case that every view uses."""

from __future__ import annotations

import shlex

from weaklink.base.errors import UsageError
from weaklink.show.text import several
from weaklink.verbs.confirm._registry import rule_with_experiment
from weaklink.verbs.debug.case import STAGES, Case, StageResult

STATES = {"clean": "ok", "broken": "BROKEN", "failed": "FAILED", "skipped": "skipped", "unclear": "unsure"}
"""The state of a stage as it is shown."""

MOST_BLIND = 6


def called(case: Case) -> str:
    """What was debugged."""
    return case.target.word or f"--algo {case.target.algorithm} --env {case.target.environment}"


def facts(case: Case) -> str:
    """What was debugged, how long that took, and where all of it lies."""
    return " · ".join((called(case), f"{case.seconds:.0f} s", f"kept in {case.folder}"))


def line(stage: StageResult) -> str:
    """A stage's result with how long it took; one that was not repeated says so."""
    spent = "kept from before" if stage.resumed else f"{stage.seconds:.0f} s" if stage.seconds >= 1.0 else ""
    return f"{stage.why} ({spent})" if spent else stage.why


def not_reached(case: Case) -> tuple[str, ...]:
    """The stages that it did not come to."""
    reached = {stage.stage for stage in case.stages}
    return tuple(stage for stage in STAGES if stage not in reached)


def not_judged(case: Case) -> list[str]:
    """What was not judged, and why."""
    diagnosis, told = case.diagnosis, []
    if case.stopped:
        told.append("It was stopped. The same command goes on where it was.")
    later = not_reached(case)
    if later and not case.stopped:
        told.append(f"Not looked at: {', '.join(later)}. Mend this first, or add --all.")
    told += [f"{stage.stage} was left out: {stage.why}." for stage in case.stages if stage.state == "skipped"]
    if diagnosis.blind:
        codes = list(diagnosis.blind)
        more = f" and {len(codes) - MOST_BLIND} more" if len(codes) > MOST_BLIND else ""
        told.append(f"{several(len(codes), 'rule')} could not tell: {', '.join(codes[:MOST_BLIND])}{more}.")
    return told


def next_step(case: Case) -> str:
    """The next experiment: one that weaklink carries out itself where it knows one, else what the rule says."""
    finding = case.first_finding
    if finding is not None and has_experiment(finding.code):
        return f"weaklink confirm {finding.code} {shlex.quote(str(case.folder))}"
    return case.next_command


def has_experiment(code: str) -> bool:
    """Whether `weaklink confirm` knows how to prove a rule's findings."""
    try:
        rule_with_experiment(code)
    except UsageError:
        return False
    return True
