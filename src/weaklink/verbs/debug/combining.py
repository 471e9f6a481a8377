"""One diagnosis out of the evidence of all stages: no fault twice, and the best proof first.

What was recomputed inside of the loop outranks a failed probe, that outranks a finding of the survey, and that a
pattern in the curves. Reward and task are judged last: they are asked once the world and the trainer are right.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.outcome import Outcome
from weaklink.base.evidence.rollout import Rollout
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.survey import Survey
from weaklink.base.evidence.verifier import VerifierCheck
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.causes import (
    SURE,
    PlacedFinding,
    fold_consequences,
    order_findings,
    place_finding,
    place_proof,
    raise_suspicions,
)
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import (
    ENOUGH_JUDGED,
    ask_rules,
    find_first_break,
    list_checked,
    list_proven,
    list_wishes,
)
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule, load_rules
from weaklink.verbs.debug.case import DIAGNOSE, PREFLIGHT, PROBE, QUESTION, WATCH

WORLD = frozenset({Link.ENVIRONMENT, Link.OBSERVATION, Link.ACTION, Link.EVALUATION})
GOAL = frozenset({Link.REWARD, Link.TASK})

BY_PROOF: tuple[type, ...] = (Rollout, Outcome, VerifierCheck, Survey, Config, Run)
"""The kinds of evidence, the strongest proof first."""


class StageEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """The diagnoses of the stages and what was recorded, those that there are.

    `cut_short` says that the time did not suffice for every rung of the ladder. `crash` is the diagnosis of how the
    watched training ended, `rewards` are those of the reward functions that were attacked. `enough` says whether the
    training was as long as the user wanted, so that a return that does not move means something.
    """

    preflight: Diagnosis | None = None
    probe: Diagnosis | None = None
    cut_short: bool = False
    crash: Diagnosis | None = None
    run: Run | None = None
    rewards: tuple[Diagnosis, ...] = ()
    enough: bool = False


class CombinedDiagnosis(msgspec.Struct, frozen=True):
    """The diagnosis of everything, and the stage that each code in it comes from."""

    diagnosis: Diagnosis
    origins: dict[str, str]


def combine_evidence(name: str, gathered: StageEvidence, settings: RuleSettings) -> CombinedDiagnosis:
    """All evidence in one diagnosis."""
    recorded = _judge_recording(gathered, settings)
    layers: list[Layer] = [
        *recorded[:1],
        *(_make_layer(one, QUESTION) for one in gathered.rewards),
        _make_layer(gathered.probe, PROBE),
        _make_layer(gathered.preflight, PREFLIGHT),
        *recorded[1:],
    ]
    layers.append(_make_layer(gathered.crash, WATCH))
    ordered, origins = _order_findings(_raise_in_layers(layers))
    findings = tuple(_fold_consequences(fold_consequences(ordered)))
    clean, blind, unable = _merge_answers(
        gathered, diagnose_recording(gathered, settings), {one.code for one in findings}
    )
    run = gathered.run
    diagnosis = Diagnosis(
        target=name,
        verdict=Verdict.UNCLEAR,
        first_break=find_first_break(findings),
        findings=findings,
        clean=clean,
        blind=blind,
        unable=unable,
        wishes=list_wishes(blind, run.family) if run is not None else (),
        unknown_keys=() if run is None else tuple(key for key in run.unknown if key not in run.unused),
        notes=tuple(note for one in _list_diagnoses(gathered) for note in one.notes),
        framework="" if run is None else run.framework,
        steps=0.0 if run is None else run.last_step,
    )
    return CombinedDiagnosis(msgspec.structs.replace(diagnosis, verdict=_decide_verdict(diagnosis, gathered)), origins)


Layer = tuple[str, list[PlacedFinding]]


def _judge_recording(gathered: StageEvidence, settings: RuleSettings) -> list[Layer]:
    """What the recording shows: proofs, then patterns and settings."""
    run = gathered.run
    if run is None:
        return [(DIAGNOSE, []), (DIAGNOSE, [])]
    proofs = [place_proof(finding, rule, run) for rule, finding in list_proven(run, settings)]
    fired = ask_rules(settings, {Run: run, Config: run.settings}, run.family).fired
    patterns = [place_finding(_excuse_early(finding, rule, gathered), rule, run) for rule, finding in fired]
    return [(DIAGNOSE, order_findings(proofs)), (DIAGNOSE, order_findings(patterns))]


def _excuse_early(finding: Finding, rule: Rule, gathered: StageEvidence) -> Finding:
    """A return that does not move yet is no alarm where the training was as short as we made it."""
    if "needs length" not in rule.marks or gathered.enough:
        return finding
    return msgspec.structs.replace(finding, level=Level.INFO)


def _raise_in_layers(layers: list[Layer]) -> list[Layer]:
    """The layers with a setting that is odd on paper made a break, where the curves show what it leads to."""
    raised = iter(raise_suspicions([one for _, placed in layers for one in placed]))
    return [(stage, [next(raised) for _ in placed]) for stage, placed in layers]


def _make_layer(diagnosis: Diagnosis | None, stage: str) -> Layer:
    """The findings of a stage in its own order. What was measured outside of the training was so from the start."""
    rules = load_rules()
    findings = () if diagnosis is None else diagnosis.findings
    placed = [PlacedFinding(_clear_cause(one), rules[one.code], SURE, SURE, _is_proof(one, stage)) for one in findings]
    return stage, [*(one for one in placed if _is_alarm(one)), *(one for one in placed if not _is_alarm(one))]


def _clear_cause(finding: Finding) -> Finding:
    """The finding without its cause, which is looked for again among all."""
    return msgspec.structs.replace(finding, consequence_of=None)


def _is_proof(finding: Finding, stage: str) -> bool:
    """Whether it counts as proof of what follows further down the loop: a trainer that fails a known problem does."""
    return stage == PROBE and finding.severity >= Level.WARN


def _is_alarm(placed: PlacedFinding) -> bool:
    return placed.finding.severity >= Level.WARN


def _order_findings(layers: Iterable[Layer]) -> tuple[list[PlacedFinding], dict[str, str]]:
    """Alarms by the strength of their proof, then what is worth knowing; each code is told once.

    A setting is read from the recording, which knows what was trained with; what is wrong with the goal, by the last
    stage.
    """
    kept: dict[str, tuple[str, PlacedFinding]] = {}
    for stage, placed in layers:
        for one in placed:
            before = kept.get(one.rule.code)
            newer = before is not None and one.rule.on is Config and stage == DIAGNOSE and before[0] == PREFLIGHT
            if before is None or newer or (_is_alarm(one) and not _is_alarm(before[1])):
                kept[one.rule.code] = stage, one
    ordered = sorted(kept.values(), key=lambda pair: (not _is_alarm(pair[1]), _rank_proof(*pair)))
    origins = {one.rule.code: _pick_stage(stage, one) for stage, one in ordered}
    return [one for _, one in ordered], origins


def _rank_proof(stage: str, one: PlacedFinding) -> int:
    """The rank of what tells a finding; sorting keeps the order inside of a rank."""
    if stage == WATCH:
        return len(BY_PROOF)
    return BY_PROOF.index(one.rule.on) if one.rule.on in BY_PROOF else BY_PROOF.index(Survey)


def _pick_stage(stage: str, one: PlacedFinding) -> str:
    goal = (one.finding.link or one.rule.link) in GOAL
    if goal and stage in (PREFLIGHT, DIAGNOSE):
        return QUESTION
    return DIAGNOSE if stage == PREFLIGHT and one.rule.on is Config else stage


def _fold_consequences(findings: Iterable[Finding]) -> list[Finding]:
    """What shows any fault follows from the break that was told before it: the course of the return, a training that
    ends early, and a problem of the ladder that is not solved where the loop itself was seen to be wrong."""
    rules, first = load_rules(), ""
    result: list[Finding] = []
    for finding in findings:
        alarm = finding.severity >= Level.WARN and finding.consequence_of is None
        follows = "course of the return" in rules[finding.code].marks or finding.code.startswith("PRB")
        if alarm and first and follows:
            finding = msgspec.structs.replace(finding, consequence_of=first)
        elif alarm and not first:
            first = finding.code
        result.append(finding)
    return result


def diagnose_recording(gathered: StageEvidence, settings: RuleSettings) -> Diagnosis | None:
    """What the rules on runs answered, as a diagnosis of its own."""
    run = gathered.run
    if run is None:
        return None
    answers = ask_rules(settings, {Run: run, Config: run.settings}, run.family)
    return Diagnosis(
        target=run.name,
        verdict=Verdict.UNCLEAR,
        clean=(*answers.clean, *list_checked(run, settings)),
        blind=answers.blind,
        unable=answers.unable,
        notes=run.notes,
        damaged_lines=dict(run.damaged_lines),
    )


def _list_diagnoses(gathered: StageEvidence) -> list[Diagnosis]:
    return [one for one in (gathered.preflight, gathered.probe, *gathered.rewards) if one is not None]


def _merge_answers(
    gathered: StageEvidence, recorded: Diagnosis | None, fired: set[str]
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], dict[str, str]]:
    """Rules that are clean, blind or unable, each once: one that judged anywhere is not blind."""
    several = [*_list_diagnoses(gathered), *([] if recorded is None else [recorded])]
    clean = tuple(dict.fromkeys(code for one in several for code in one.clean if code not in fired))
    judged = {*clean, *fired}
    blind = {code: why for one in several for code, why in one.blind.items() if code not in judged}
    unable = {code: why for one in several for code, why in one.unable.items() if code not in judged}
    return clean, blind, unable


def cut_after_break(whole: CombinedDiagnosis) -> Diagnosis:
    """The diagnosis without the breaks of reward and task, where the first break lies before them: they can wait."""
    diagnosis, origins = whole.diagnosis, whole.origins
    broke = diagnosis.first_break
    if broke is None or origins[broke.code] == QUESTION:
        return diagnosis
    waiting = [
        one
        for one in diagnosis.causes
        if one.severity >= Level.WARN and origins[one.code] == QUESTION and one.code != broke.code
    ]
    if not waiting:
        return diagnosis
    gone = {one.code for one in waiting}
    shown = tuple(one for one in diagnosis.findings if one.code not in gone and one.consequence_of not in gone)
    named = ", ".join(f"{one.code} {one.name}" for one in waiting)
    more = f"Kept for later: {named}. Mend the first break, then look again; --all shows everything at once."
    return msgspec.structs.replace(diagnosis, findings=shown, advice=(*diagnosis.advice, more))


def learns(run: Run) -> bool:
    """Whether the return improves, by its ends or by a trend that no chance explains: a short run has few points."""
    course = run.performance
    if course is None or course.declined:
        return False
    return course.improved or (course.trend.rises and course.final > course.start)


def _decide_verdict(diagnosis: Diagnosis, gathered: StageEvidence) -> Verdict:
    """Broken with any alarm; healthy where the return improves, or where there is nothing to train and all is clean."""
    if diagnosis.first_break is not None:
        return Verdict.BROKEN
    run, world = gathered.run, gathered.preflight
    if run is None:
        calm = world is not None and world.verdict is Verdict.HEALTHY
        return Verdict.HEALTHY if calm and gathered.probe is None else Verdict.UNCLEAR
    judged = len(diagnosis.clean) >= ENOUGH_JUDGED and not gathered.cut_short
    return Verdict.HEALTHY if judged and learns(run) else Verdict.UNCLEAR
