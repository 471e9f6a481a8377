"""Which link of the loop broke first? Rules over the recording, with all that the earlier stages have shown."""

from __future__ import annotations

from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.engine import ENOUGH_JUDGED
from weaklink.verbs.debug.case import BROKEN, CLEAN, DIAGNOSE, QUESTION, UNCLEAR, StageResult, describe_break
from weaklink.verbs.debug.combining import CombinedDiagnosis

NO_RECORDING = "nothing was recorded that could be judged"


def conclude_stage(combined: CombinedDiagnosis, run: Run | None, seconds: float) -> StageResult:
    """What the stage came to: broken where the first break is not a matter of reward or task."""
    diagnosis = combined.diagnosis
    broke = diagnosis.first_break
    state, why = CLEAN, _clean(combined, run)
    if broke is not None and combined.origins[broke.code] != QUESTION:
        state, why = BROKEN, describe_break(next(one for one in diagnosis.findings if one.code == broke.code))
    elif run is None:
        state, why = UNCLEAR, NO_RECORDING
    elif len(diagnosis.clean) < ENOUGH_JUDGED:
        state = UNCLEAR
    return StageResult(
        stage=DIAGNOSE, state=state, why=why, seconds=seconds, diagnosis=diagnosis, facts=_list_facts(combined, run)
    )


def _clean(combined: CombinedDiagnosis, run: Run | None) -> str:
    diagnosis = combined.diagnosis
    proofs = 0 if run is None else len(run.checked)
    checked = f", {proofs} of them inside of the loop" if proofs else ""
    return f"nothing in the trainer is broken: {len(diagnosis.clean)} rules found nothing{checked}"


def _list_facts(combined: CombinedDiagnosis, run: Run | None) -> tuple[tuple[str, str], ...]:
    judged = ("rules that judged", f"{combined.diagnosis.judged} of {combined.diagnosis.asked}")
    course = None if run is None else run.performance
    return (judged,) if course is None else (judged, ("return", course.told))
