"""Before a comparison is believed: whether its parties may be compared, and whether their items are clean."""

from __future__ import annotations

from typing import Any

from weaklink.base.evidence.contrast import Contrast
from weaklink.base.evidence.fleet import Fleet
from weaklink.base.evidence.overlap import Overlap
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.diagnosis import Diagnosis, Verdict
from weaklink.judge.diagnosis.engine import RuleAnswers, ask_rules, find_first_break
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule, load_rules_on


def check_protocols(contrast: Contrast, settings: RuleSettings) -> RuleAnswers:
    """What the rules on several evaluations say."""
    return ask_rules(settings, {Fleet: contrast.fleet}, "")


def are_comparable(answers: RuleAnswers) -> bool:
    """Whether the scores may stand side by side."""
    return not any(_bars_comparison(rule) for rule, _ in answers.fired)


def _bars_comparison(rule: Rule) -> bool:
    return "bars comparison" in rule.marks


def judge_contrast(
    name: str,
    answers: RuleAnswers,
    overlap: Overlap | None,
    settings: RuleSettings,
    *,
    stated: bool = True,
    notes: tuple[str, ...] = (),
) -> Diagnosis:
    """Broken where they may not be compared or the items are not clean, unclear where no protocol is `stated`."""
    evidence: dict[type, Any] = {} if overlap is None else {Overlap: overlap}
    about = ask_rules(settings, evidence, "")
    found = sorted((*answers.fired, *about.fired), key=lambda pair: -int(pair[1].severity))
    findings = tuple(finding for _, finding in found)
    clean = (*answers.clean, *about.clean)
    blind = {**answers.blind, **about.blind}
    if any(finding.severity >= Level.WARN for finding in findings):
        verdict = Verdict.BROKEN
    else:
        unseen = any(_bars_comparison(rule) for code, rule in load_rules_on(Fleet).items() if code in blind)
        verdict = Verdict.HEALTHY if clean and stated and not unseen else Verdict.UNCLEAR
    return Diagnosis(
        target=name,
        verdict=verdict,
        first_break=find_first_break(findings),
        findings=findings,
        clean=clean,
        blind=blind,
        unable={**answers.unable, **about.unable},
        notes=notes,
    )
