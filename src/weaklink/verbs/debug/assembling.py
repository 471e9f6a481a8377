"""A case put together from what lies in its folder."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import Finding
from weaklink.judge.diagnosis.checklists import ChecklistItem
from weaklink.judge.diagnosis.checklists_training import check_after_training, check_during_training
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.verbs.debug.case import (
    AFTER,
    BEFORE,
    BROKEN,
    DIAGNOSE,
    DURING,
    FAILED,
    PREFLIGHT,
    PROBE,
    QUESTION,
    SKIPPED,
    UNCLEAR,
    WATCH,
    Case,
    StageResult,
)
from weaklink.verbs.debug.combining import CombinedDiagnosis, StageEvidence, combine_evidence, cut_after_break
from weaklink.verbs.debug.folder import CaseFolder
from weaklink.verbs.debug.request import TrainingEnd
from weaklink.verbs.debug.stages import preflight, probe, rewards, watch
from weaklink.verbs.debug.target import CaseTarget
from weaklink.verbs.preflight import Preflight
from weaklink.verbs.probe import Probed


class CaseEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The evidence of the stages that were carried out."""

    preflight: Preflight | None = None
    probed: Probed | None = None
    ended: TrainingEnd | None = None
    crash: Diagnosis | None = None
    run: Run | None = None
    rewards: tuple[VerifierCheck, ...] = ()

    def combined(self, target: CaseTarget, settings: RuleSettings) -> CombinedDiagnosis:
        """All of it in one diagnosis."""
        gathered = StageEvidence(
            preflight=None if self.preflight is None else self.preflight.diagnosis,
            probe=None if self.probed is None else self.probed.diagnosis,
            cut_short=self.probed is not None and probe.was_cut_short(self.probed.outcome),
            crash=self.crash,
            run=self.run,
            rewards=rewards.judge_rewards(self.rewards, settings),
            enough=self.ended is not None and self.ended.stated and not self.ended.stopped,
        )
        return combine_evidence(target.word or target.name, gathered, settings)


def load_evidence(folder: CaseFolder, settings: RuleSettings, stages: set[str]) -> CaseEvidence:
    """What lies in a folder, of these stages; the last two judge what the watched training has left."""
    watched = bool({WATCH, DIAGNOSE, QUESTION} & stages)
    return CaseEvidence(
        preflight=preflight.load_preflight(folder, settings) if PREFLIGHT in stages else None,
        probed=probe.load_probed(folder, settings) if PROBE in stages else None,
        ended=folder.index.ended if watched else None,
        crash=watch.diagnose_crash(folder, settings) if watched else None,
        run=folder.recording() if watched else None,
        rewards=rewards.load_rewards(folder) if {DIAGNOSE, QUESTION} & stages else (),
    )


def assemble_case(folder: CaseFolder, results: list[StageResult], settings: RuleSettings, *, stopped: bool) -> Case:
    """The case of these stages."""
    carried_out = {one.stage for one in results if one.state != SKIPPED}
    seen = load_evidence(folder, settings, carried_out)
    target = folder.index.target
    whole = seen.combined(target, settings)
    everything = bool(folder.index.options.get("everything"))
    diagnosis = whole.diagnosis if everything else cut_after_break(whole)
    broke = diagnosis.first_break
    case = Case(
        target=target,
        folder=folder.path,
        stages=tuple(results),
        diagnosis=diagnosis,
        why=_explain_verdict(diagnosis, seen, results, stopped=stopped),
        origins=whole.origins,
        stage_of_break=_find_breaking_stage(whole, results) if broke is not None else "",
        checklists=_make_checklists(seen, diagnosis, folder.index.environment_word),
        stopped=stopped,
        options=folder.index.options,
        preflight=seen.preflight,
        probed=seen.probed,
        run=seen.run,
        minimal=folder.minimal(),
    )
    return msgspec.structs.replace(case, next_command=_suggest_command(case))


def _find_breaking_stage(whole: CombinedDiagnosis, results: list[StageResult]) -> str:
    """The stage that told the first break; where it did not come to that one, the one that ended the procedure."""
    assert whole.diagnosis.first_break is not None
    stage = whole.origins[whole.diagnosis.first_break.code]
    known = {one.stage for one in results if one.state in (BROKEN, FAILED)}
    return stage if stage in known or not known else next(one.stage for one in results if one.stage in known)


def _explain_verdict(diagnosis: Diagnosis, seen: CaseEvidence, results: list[StageResult], *, stopped: bool) -> str:
    """The verdict in one sentence."""
    if diagnosis.first_break is not None:
        return next(one.message for one in diagnosis.findings if one.code == diagnosis.first_break.code)
    judged = f"nothing is broken in the {diagnosis.judged} of {diagnosis.asked} rules that could judge"
    if stopped:
        return f"{judged} until it was stopped"
    if diagnosis.verdict is Verdict.HEALTHY:
        course = None if seen.run is None else seen.run.performance
        return judged if course is None else f"{judged}, and the return improves: {course.told}"
    told = [one for one in results if one.state == UNCLEAR] or [one for one in results if one.state != SKIPPED]
    unclear = told[-1] if told else None
    if seen.run is None:
        return f"{judged}, but no training was watched"
    return judged if unclear is None else f"{judged}; {unclear.why}"


def _make_checklists(
    seen: CaseEvidence, diagnosis: Diagnosis, environment: str
) -> dict[str, tuple[ChecklistItem, ...]]:
    lists: dict[str, tuple[ChecklistItem, ...]] = {}
    if seen.preflight is not None:
        lists[BEFORE] = seen.preflight.checklist
    if seen.run is not None:
        lists[DURING] = check_during_training(seen.run, diagnosis)
        lists[AFTER] = check_after_training(seen.run, diagnosis, environment)
    return lists


def _suggest_command(case: Case) -> str:
    """The command that proves the first break, or goes on."""
    finding = case.first_finding
    if finding is None:
        return "" if case.verdict is Verdict.HEALTHY else _suggest_longer(case)
    return _get_verification(finding, case)


def _get_verification(finding: Finding, case: Case) -> str:
    return finding.verify


def _suggest_longer(case: Case) -> str:
    word = case.target.word or f"--algo {case.target.algorithm} --env {case.target.environment}"
    return f"weaklink debug {word} --seconds {3 * float(case.options.get('seconds', 100)):.0f}"
