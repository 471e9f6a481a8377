"""After a comparison: judges a trainer by how it stands to its reference."""

from __future__ import annotations

from weaklink.base.evidence.comparison import Comparison
from weaklink.base.evidence.standing import compute_standing
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import ask_rules, find_first_break
from weaklink.judge.diagnosis.settings import RuleSettings

LEVEL_WITH_IT = 0.8
"""A trainer that makes this part of the reference's gain keeps up with it."""


def judge_comparison(comparison: Comparison, settings: RuleSettings | None = None) -> Diagnosis:
    """Broken where it is clearly below, healthy where it keeps up, unclear where the seeds cannot tell."""
    answers = ask_rules(settings or RuleSettings(), {Comparison: comparison}, "")
    findings = tuple(finding for _, finding in answers.fired)
    return Diagnosis(
        target=comparison.trainer.name,
        verdict=_decide_verdict(findings, answers.clean, comparison),
        first_break=find_first_break(findings),
        findings=findings,
        clean=tuple(answers.clean),
        blind=answers.blind,
        unable=answers.unable,
        notes=comparison.notes,
    )


def _decide_verdict(findings: tuple[Finding, ...], clean: list[str], comparison: Comparison) -> Verdict:
    if any(finding.severity >= Level.WARN for finding in findings):
        return Verdict.BROKEN
    gain = compute_standing(comparison).gain
    return Verdict.HEALTHY if clean and gain is not None and gain >= LEVEL_WITH_IT else Verdict.UNCLEAR
