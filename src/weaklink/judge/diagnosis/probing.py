"""After a climb: judges what a trainer learned on problems with known answers."""

from __future__ import annotations

from functools import cache

import msgspec

from weaklink.base.evidence.kernels import KernelChecks
from weaklink.base.evidence.outcome import RIGHT, UNSEEN, Outcome
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import ask_rules, find_first_break
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import load_rules_on

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
    """Every finding in the order of the ladder: a lower rung needs less and so says more."""
    answers = ask_rules(settings or RuleSettings(), {Outcome: outcome}, "")
    findings = tuple(sorted((finding for _, finding in answers.fired), key=_rank_finding))
    first = find_first_break(findings)
    shown = tuple(_fold_finding(finding, first.code if first else None) for finding in findings)
    return Diagnosis(
        target=outcome.trainer,
        verdict=_decide_verdict(outcome, findings),
        first_break=first,
        findings=shown,
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


def _fold_finding(finding: Finding, first: str | None) -> Finding:
    """Higher rungs need all that lower ones need: what fails there may follow from the first break."""
    if first is None or finding.code == first or finding.severity < Level.WARN:
        return finding
    return msgspec.structs.replace(finding, consequence_of=first)


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
