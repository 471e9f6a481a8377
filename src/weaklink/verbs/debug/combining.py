"""One diagnosis out of the evidence of all stages: no illness twice, and the best proof first.

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
from weaklink.base.finding import Finding, Level
from weaklink.base.loop import Link
from weaklink.judge.diagnosis.causes import SURE, Placed, folded, in_order, place, place_proof
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import ENOUGH_JUDGED, asked, checked, first_break, proven, wishes
from weaklink.judge.diagnosis.settings import Settings
from weaklink.judge.rules._registry import Rule, all_rules
from weaklink.verbs.debug.case import DIAGNOSE, PREFLIGHT, PROBE, QUESTION, WATCH

WORLD = frozenset({Link.ENVIRONMENT, Link.OBSERVATION, Link.ACTION, Link.EVALUATION})
GOAL = frozenset({Link.REWARD, Link.TASK})

BY_PROOF: tuple[type, ...] = (Rollout, Outcome, Survey, Config, Run)
"""The kinds of evidence, the strongest proof first."""


class Gathered(msgspec.Struct, frozen=True, kw_only=True):
    """The diagnoses of the stages and what was recorded, those that there are.

    `cut_short` says that the time did not suffice for every rung of the ladder. `crash` is the diagnosis of how the
    watched training ended, `enough` whether it was as long as the user wanted, so that a return that does not move
    means something.
    """

    preflight: Diagnosis | None = None
    probe: Diagnosis | None = None
    cut_short: bool = False
    crash: Diagnosis | None = None
    run: Run | None = None
    enough: bool = False


class Combined(msgspec.Struct, frozen=True):
    """The diagnosis of everything, and the stage that each code in it comes from."""

    diagnosis: Diagnosis
    origins: dict[str, str]


def combined(name: str, gathered: Gathered, settings: Settings) -> Combined:
    """All evidence in one diagnosis."""
    recorded = _recorded(gathered, settings)
    layers: list[Layer] = [*recorded[:1], _of(gathered.probe, PROBE), _of(gathered.preflight, PREFLIGHT), *recorded[1:]]
    layers.append(_of(gathered.crash, WATCH))
    ordered, origins = _once(_suspected(layers))
    findings = tuple(_under_their_causes(folded(ordered)))
    clean, blind, unable = _answers(gathered, recorded_by(gathered, settings), {one.code for one in findings})
    run = gathered.run
    diagnosis = Diagnosis(
        target=name,
        verdict=Verdict.UNCLEAR,
        first_break=first_break(findings),
        findings=findings,
        clean=clean,
        blind=blind,
        unable=unable,
        wishes=wishes(blind, run.family) if run is not None else (),
        unknown_keys=() if run is None else tuple(key for key in run.unknown if key not in run.unused),
        notes=tuple(note for one in _parts(gathered) for note in one.notes),
        framework="" if run is None else run.framework,
        steps=0.0 if run is None else run.last_step,
    )
    return Combined(msgspec.structs.replace(diagnosis, verdict=_verdict(diagnosis, gathered)), origins)


Layer = tuple[str, list[Placed]]


def _recorded(gathered: Gathered, settings: Settings) -> list[Layer]:
    """What the recording shows: proofs, then patterns and settings."""
    run = gathered.run
    if run is None:
        return [(DIAGNOSE, []), (DIAGNOSE, [])]
    proofs = [place_proof(finding, rule, run) for rule, finding in proven(run, settings)]
    fired = asked(settings, {Run: run, Config: run.config}, run.family).fired
    patterns = [place(_early(finding, rule, gathered), rule, run) for rule, finding in fired]
    return [(DIAGNOSE, in_order(proofs)), (DIAGNOSE, in_order(patterns))]


def _early(finding: Finding, rule: Rule, gathered: Gathered) -> Finding:
    """A return that does not move yet is no alarm where the training was as short as we made it."""
    if "needs length" not in rule.marks or gathered.enough:
        return finding
    return msgspec.structs.replace(finding, level=Level.INFO)


def _suspected(layers: list[Layer]) -> list[Layer]:
    """The layers with a setting that is odd on paper made a break, where the curves show what it leads to."""
    alarms = [one for _, placed in layers for one in placed if one.rule.on is Run and _alarm(one)]

    def told(one: Placed) -> Placed:
        shown = [each.finding for each in alarms if each.rule.code in one.rule.leads_to]
        suspect = "suspect" in one.rule.marks and not _alarm(one) and shown
        return msgspec.structs.replace(one, finding=_raised(one.finding, shown)) if suspect else one

    return [(stage, [told(one) for one in placed]) for stage, placed in layers]


def _raised(finding: Finding, shown: list[Finding]) -> Finding:
    """A suspicion with what bears it out."""
    seen = f"{shown[0].message[:1].upper()}{shown[0].message[1:]}"
    evidence = (*finding.evidence, *(each.evidence[0] for each in shown if each.evidence))
    return msgspec.structs.replace(
        finding,
        level=Level.WARN,
        message=f"{finding.message} The curves bear it out: {seen}",
        evidence=evidence,
    )


def _of(diagnosis: Diagnosis | None, stage: str) -> Layer:
    """The findings of a stage in its own order. What was measured outside of the training was so from the start."""
    rules = all_rules()
    findings = () if diagnosis is None else diagnosis.findings
    placed = [Placed(_free(one), rules[one.code], SURE, SURE, _sure(one, stage)) for one in findings]
    return stage, [*(one for one in placed if _alarm(one)), *(one for one in placed if not _alarm(one))]


def _free(finding: Finding) -> Finding:
    """The finding without its cause, which is looked for again among all."""
    return msgspec.structs.replace(finding, consequence_of=None)


def _sure(finding: Finding, stage: str) -> bool:
    """Whether it counts as proof of what follows further down the loop: a trainer that fails a known problem does."""
    return stage == PROBE and finding.severity >= Level.WARN


def _alarm(placed: Placed) -> bool:
    return placed.finding.severity >= Level.WARN


def _once(layers: Iterable[Layer]) -> tuple[list[Placed], dict[str, str]]:
    """Alarms by the strength of their proof, then what is worth knowing; each code is told once.

    A setting is told by the recording, which knows what was trained with; what is wrong with the goal, by the last
    stage.
    """
    kept: dict[str, tuple[str, Placed]] = {}
    for stage, placed in layers:
        for one in placed:
            before = kept.get(one.rule.code)
            newer = before is not None and one.rule.on is Config and stage == DIAGNOSE and before[0] == PREFLIGHT
            if before is None or newer or (_alarm(one) and not _alarm(before[1])):
                kept[one.rule.code] = stage, one
    ordered = sorted(kept.values(), key=lambda pair: (not _alarm(pair[1]), _strength(*pair)))
    origins = {one.rule.code: _stage_of(stage, one) for stage, one in ordered}
    return [one for _, one in ordered], origins


def _strength(stage: str, one: Placed) -> int:
    """The rank of what tells a finding; sorting keeps the order inside of a rank."""
    if stage == WATCH:
        return len(BY_PROOF)
    return BY_PROOF.index(one.rule.on) if one.rule.on in BY_PROOF else BY_PROOF.index(Survey)


def _stage_of(stage: str, one: Placed) -> str:
    goal = (one.finding.link or one.rule.link) in GOAL
    if goal and stage in (PREFLIGHT, DIAGNOSE):
        return QUESTION
    return DIAGNOSE if stage == PREFLIGHT and one.rule.on is Config else stage


def _under_their_causes(findings: Iterable[Finding]) -> list[Finding]:
    """What shows any fault follows from the break that was told before it: the course of the return, a training that
    ends early, and a problem of the ladder that is not solved where the loop itself was seen to be wrong."""
    rules, first = all_rules(), ""
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


def recorded_by(gathered: Gathered, settings: Settings) -> Diagnosis | None:
    """What the rules on runs answered, as a diagnosis of its own."""
    run = gathered.run
    if run is None:
        return None
    answers = asked(settings, {Run: run, Config: run.config}, run.family)
    return Diagnosis(
        target=run.name,
        verdict=Verdict.UNCLEAR,
        clean=(*answers.clean, *checked(run, settings)),
        blind=answers.blind,
        unable=answers.unable,
        notes=run.notes,
    )


def _parts(gathered: Gathered) -> list[Diagnosis]:
    return [one for one in (gathered.preflight, gathered.probe) if one is not None]


def _answers(
    gathered: Gathered, recorded: Diagnosis | None, fired: set[str]
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], dict[str, str]]:
    """Rules that are clean, blind or unable, each once: one that judged anywhere is not blind."""
    several = [*_parts(gathered), *([] if recorded is None else [recorded])]
    clean = tuple(dict.fromkeys(code for one in several for code in one.clean if code not in fired))
    judged = {*clean, *fired}
    blind = {code: why for one in several for code, why in one.blind.items() if code not in judged}
    unable = {code: why for one in several for code, why in one.unable.items() if code not in judged}
    return clean, blind, unable


def up_to_the_break(whole: Combined) -> Diagnosis:
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


def _verdict(diagnosis: Diagnosis, gathered: Gathered) -> Verdict:
    """Broken with any alarm; healthy where the return improves, or where there is nothing to train and all is clean."""
    if diagnosis.first_break is not None:
        return Verdict.BROKEN
    run, world = gathered.run, gathered.preflight
    if run is None:
        calm = world is not None and world.verdict is Verdict.HEALTHY
        return Verdict.HEALTHY if calm and gathered.probe is None else Verdict.UNCLEAR
    judged = len(diagnosis.clean) >= ENOUGH_JUDGED and not gathered.cut_short
    return Verdict.HEALTHY if judged and learns(run) else Verdict.UNCLEAR
