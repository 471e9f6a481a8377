"""What every subject that was judged shows in the same way: headline, loop, findings, advice and coverage."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from weaklink.base.evidence.run import Run
from weaklink.base.finding import Evidence, Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.document import ChartAxis, Page, Section
from weaklink.show.subjects.coverage import show_coverage
from weaklink.show.subjects.findings import show_findings, write_headline, write_sentence
from weaklink.show.subjects.loop import show_links

Facts = Sequence[tuple[str, str]]


def build_judged(
    diagnosis: Diagnosis,
    *,
    id: str,
    title: str,
    command: str,
    reason: str,
    facts: Facts,
    sections: Sequence[Section],
    run: Run | None = None,
    charts: Collection[str] = (),
    axes: Mapping[str, ChartAxis] | None = None,
    coverage: Section | None = None,
    brief: int | None = None,
    growing: bool = False,
) -> Page:
    """The page of something that was judged.

    Args:
        diagnosis: what is wrong with it.
        id: the name of the page, the same whenever it is made anew.
        title: what it is about.
        command: the command that it comes from.
        reason: the answer where nothing is broken.
        facts: what was judged, by name; empty ones are left out.
        sections: what was seen.
        run: the curves that the evidence is from.
        charts: the names of the charts on the page.
        axes: those of the charts.
        coverage: what could be judged, where more is to be said of it than the diagnosis holds.
        brief: how many of the facts are shown where there is little room.
        growing: whether more is to come.
    """
    return Page(
        id=id,
        title=title,
        command=command,
        verdict=diagnosis.verdict.value,
        headline=write_headline(diagnosis, reason),
        says=write_sentence(diagnosis),
        facts=tuple((name, value) for name, value in facts if value),
        loop=show_links(diagnosis),
        findings=show_findings(diagnosis, run, charts),
        sections=(*(one for one in sections if one.blocks or one.note), coverage or show_coverage(diagnosis, run)),
        advice=tuple(line.lstrip("0123456789. ") for line in diagnosis.advice),
        axes=dict(axes or {}),
        growing=growing,
        brief=None if brief is None else sum(bool(value) for _, value in facts[:brief]),
    )


def record_diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis under the keys of the JSON contract, those it promises first."""
    broke = diagnosis.first_break
    return {
        "target": diagnosis.target,
        "verdict": diagnosis.verdict.value,
        "first_break": None
        if broke is None
        else {"link": broke.link.value, "code": broke.code, "step": _round_step(broke.step)},
        "findings": [record_finding(finding) for finding in diagnosis.findings],
        "clean": list(diagnosis.clean),
        "blind": {code: list(missing) for code, missing in diagnosis.blind.items()},
        "unknown_keys": list(diagnosis.unknown_keys),
        "coverage": {"judged": diagnosis.judged, "asked": diagnosis.asked},
        "wishes": [{"metric": one.metric, "unlocks": list(one.unlocks), "how": one.how} for one in diagnosis.wishes],
        "advice": list(diagnosis.advice),
        "notes": list(diagnosis.notes),
        "damaged_lines": dict(diagnosis.damaged_lines),
        "unable": dict(diagnosis.unable),
        "framework": diagnosis.framework,
        "steps": _round_step(diagnosis.steps),
    }


def record_finding(finding: Finding) -> dict[str, Any]:
    """One finding under the keys of the contract."""
    return {
        "code": finding.code,
        "name": finding.name,
        "link": finding.link.value if finding.link else None,
        "level": finding.severity.word,
        "message": finding.message,
        "onset": _round_step(finding.onset),
        "confidence": finding.confidence,
        "evidence": [_record_evidence(one) for one in finding.evidence],
        "fix": list(finding.fix),
        "verify": finding.verify,
        "consequence_of": finding.consequence_of,
    }


def _record_evidence(evidence: Evidence) -> dict[str, Any]:
    step = _round_step(evidence.step)
    return {"metric": evidence.metric, "value": evidence.value, "limit": evidence.limit, "step": step}


def _round_step(step: float | None) -> float | int | None:
    """A step as a whole number where it is one."""
    if step is None or not math.isfinite(step):
        return step
    return int(step) if step == int(step) else float(step)
