"""What a survey of the environment says of the run that was trained in it."""

from __future__ import annotations

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.base.finding import LOW, Finding, Level
from weaklink.judge.diagnosis.causes import SURE, PlacedFinding
from weaklink.judge.diagnosis.learning import has_learned
from weaklink.judge.diagnosis.settings import RuleSettings
from weaklink.judge.rules._registry import Rule


def place_surveyed(run: Run, settings: RuleSettings) -> list[PlacedFinding]:
    """What is wrong with the environment, by the rules that are asked: true before the first step was made.

    What a trainer may prepare for, and what was hard to learn and was learned all the same, is information here.
    """
    if run.surveyed is None:
        return []
    from weaklink.base.evidence.survey import Survey  # many classes, which a log alone does not need

    rules = {rule.code: rule for rule in settings.rules((Survey,))}
    learned = has_learned(run)
    return [
        _place(_weigh(finding, rules[finding.code], learned=learned), rules[finding.code])
        for finding in run.surveyed.findings
        if finding.code in rules
    ]


def _weigh(finding: Finding, rule: Rule, *, learned: bool) -> Finding:
    excused = "left to trainers" in rule.marks or (learned and "excused by learning" in rule.marks)
    return msgspec.structs.replace(finding, level=Level.INFO) if excused else finding


def _place(finding: Finding, rule: Rule) -> PlacedFinding:
    proven = finding.severity >= Level.WARN and finding.confidence > LOW and "excused by learning" not in rule.marks
    return PlacedFinding(finding, rule, SURE, SURE, proven)
