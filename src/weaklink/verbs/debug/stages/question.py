"""The trainer works: does the project ask for the right thing? Reward first, then environment, then task."""

from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.tiers import list_tiers
from weaklink.verbs.debug.case import BROKEN, CLEAN, QUESTION, UNCLEAR, StageResult, describe_break
from weaklink.verbs.debug.combining import CombinedDiagnosis, learns
from weaklink.verbs.debug.request import TrainingEnd

ORDER = (Link.REWARD, Link.ENVIRONMENT, Link.TASK)
"""The tiers; the first that has a finding answers."""


def conclude_stage(
    combined: CombinedDiagnosis, run: Run | None, ended: TrainingEnd | None, environment: str, seconds: float
) -> StageResult:
    """What the stage came to."""
    found = _find_first_break(combined)
    notes: tuple[str, ...] = ()
    state, why = CLEAN, "nothing is wrong with reward or task"
    course = None if run is None else run.performance
    if found is not None:
        state, why = BROKEN, describe_break(found)
    elif course is not None and run is not None and learns(run):
        why = f"the return improves: {course.told}"
    elif run is not None:
        state = UNCLEAR
        notes = tuple(tier.replace("preflight ENV", f"preflight {environment}") for tier in list_tiers(run))
        why = f"{_describe_course(run)}{_describe_length(ended)}: too little to tell"
    return StageResult(stage=QUESTION, state=state, why=why, seconds=seconds, diagnosis=combined.diagnosis, notes=notes)


def _find_first_break(combined: CombinedDiagnosis) -> Finding | None:
    """The first break of the tiers in their order, of those that the trainer's own breaks do not explain."""
    alarms = [one for one in combined.diagnosis.causes if one.severity >= Level.WARN and one.link in ORDER]
    return min(alarms, key=lambda one: ORDER.index(one.link or Link.TASK), default=None)


def _describe_course(run: Run) -> str:
    course = run.performance
    if course is None:
        return "too few episodes ended for a course of the return"
    return f"the return does not clearly improve ({course.told})"


def _describe_length(ended: TrainingEnd | None) -> str:
    return "" if ended is None else f" within {ended.made}"
