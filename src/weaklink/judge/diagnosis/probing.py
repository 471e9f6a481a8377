"""After a climb: judges what a trainer learned on problems with known answers."""

from __future__ import annotations

from functools import cache

import msgspec

from weaklink.base.evidence.kernels import KernelChecks
from weaklink.base.evidence.outcome import RIGHT, UNSEEN, Outcome
from weaklink.base.finding import Finding, Level, is_proof
from weaklink.judge.diagnosis.diagnosis import Diagnosis, FirstBreak, Verdict
from weaklink.judge.diagnosis.engine import ask_rules, find_first_break
from weaklink.judge.diagnosis.read_updates import judge_readings
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import load_rules_on
from weaklink.judge.rules.probe._proven import find_proof

ENOUGH_RIGHT = 3
"""A verdict of healthy needs at least this many rungs that hold."""


@cache
def list_rung_codes() -> dict[str, str]:
    """The code of its rule for the name of every rung: the rule has the rung's name, and needs the rung."""
    return {rule.name: code for code, rule in load_rules_on(Outcome).items() if rule.name in rule.needs}


def add_rung_codes(outcome: Outcome) -> Outcome:
    """The outcome with the code of its rule on every rung."""
    codes = list_rung_codes()
    rungs = (msgspec.structs.replace(rung, code=codes.get(rung.name, "")) for rung in outcome.rungs)
    return msgspec.structs.replace(outcome, rungs=tuple(rungs))


def judge_outcome(outcome: Outcome, settings: RuleSettings | None = None) -> Diagnosis:
    """What was read of the updates first, for it proves; then the ladder: a lower rung needs less and so says more."""
    chosen = settings or RuleSettings()
    outcome = judge_readings(outcome, chosen)
    answers = ask_rules(chosen, {Outcome: outcome}, "")
    answers.clean.extend(outcome.checked)
    alone = {rung.code for rung in outcome.rungs if rung.stands_alone}
    found = [*outcome.proven, *sorted((finding for _, finding in answers.fired), key=_rank_finding)]
    ordered = sorted(found, key=lambda finding: _rank_cause(finding, alone))
    first = find_first_break(tuple(ordered))
    findings = tuple(_fold_finding(finding, outcome, first, alone) for finding in ordered)
    return Diagnosis(
        target=outcome.trainer,
        verdict=_decide_verdict(outcome, findings),
        first_break=first,
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
        notes=(*outcome.notes, *_list_unseen(outcome)),
    )


def judge_kernels(checks: KernelChecks, settings: RuleSettings | None = None) -> Diagnosis:
    """The functions of a module that differ from the right answer, outside in."""
    answers = ask_rules(settings or RuleSettings(), {KernelChecks: checks}, "")
    findings = tuple(finding for _, finding in answers.fired)
    right = any(check.verdict == RIGHT for check in checks.checks)
    calm = Verdict.HEALTHY if right else Verdict.UNCLEAR
    return Diagnosis(
        target=checks.name,
        verdict=Verdict.BROKEN if findings else calm,
        first_break=find_first_break(findings),
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
    )


def _rank_finding(finding: Finding) -> tuple[bool, bool, str]:
    """Alarms first; among them a trainer that fails on any rung, then by rung."""
    return finding.severity < Level.WARN, finding.code in list_rung_codes().values(), finding.code


def _rank_cause(finding: Finding, alone: set[str]) -> tuple[bool, int]:
    """Alarms first; among them what is proven wrong, then rungs, then what leaves the rungs above it as they are."""
    if is_proof(finding.code):
        place = 0 if finding.severity >= Level.ERROR else 2
    else:
        place = 3 if finding.code in alone else 1
    return finding.severity < Level.WARN, place


def _fold_finding(finding: Finding, outcome: Outcome, first: FirstBreak | None, alone: set[str]) -> Finding:
    """A rung that fails follows from what was read, where that explains it; else from the first break.

    Higher rungs need all that lower ones need, except what stands alone.
    """
    if first is None or finding.severity < Level.WARN or is_proof(finding.code) or finding.code == first.code:
        return finding
    proof = find_proof(outcome, load_rules_on(Outcome)[finding.code].link, alone=finding.code in alone)
    follows = "" if {finding.code, first.code} & alone else first.code
    cause = follows if proof is None else proof.code
    return msgspec.structs.replace(finding, consequence_of=cause) if cause else finding


def _decide_verdict(outcome: Outcome, findings: tuple[Finding, ...]) -> Verdict:
    if any(finding.severity >= Level.WARN for finding in findings):
        return Verdict.BROKEN
    held = sum(rung.verdict == RIGHT for rung in outcome.rungs)
    return Verdict.HEALTHY if held >= ENOUGH_RIGHT and not outcome.stopped else Verdict.UNCLEAR


def _list_unseen(outcome: Outcome) -> tuple[str, ...]:
    """What could not be judged, and what would let it be."""
    lacking = sorted({rung.name for rung in outcome.rungs if rung.verdict == UNSEEN})
    if not lacking:
        return ()
    return (f"could not be judged: {', '.join(lacking)}: expose `value` or `q`, or log the value loss",)
