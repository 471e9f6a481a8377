"""Findings as people read them, each with the charts that prove it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterator

from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding, Level
from weaklink.base.patterns import compile_late
from weaklink.judge.diagnosis.about import describe_rule, find_summary
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import ShownFinding, ShownProof
from weaklink.show.text import describe_confidence

LONGEST_ID = 60
_COMMAND = compile_late(r"`(weaklink [^`]+)`")


def make_chart_id(metric: str) -> str:
    """The name of a metric's chart on its page: the same whenever the page is made anew."""
    plain = re.sub(r"[^a-z0-9]+", "-", metric.lower()).strip("-")
    if metric in METRICS:
        return plain
    return f"{plain[:LONGEST_ID]}-{zlib.crc32(metric.encode('utf-8', 'replace')):08x}"


def show_findings(
    diagnosis: Diagnosis, run: Run | None = None, charts: Collection[str] = ()
) -> tuple[ShownFinding, ...]:
    """All findings in the order in which to read them; `charts` are the names of those on the page."""
    return tuple(_show_finding(finding, diagnosis, run, charts) for finding in diagnosis.findings)


def write_headline(diagnosis: Diagnosis, otherwise: str) -> str:
    """The answer in one line: the link that broke first, or what is said where none did."""
    first = wording.find_first_finding(diagnosis)
    if first is None or first.link is None:
        return otherwise
    since = wording.describe_onset(first, diagnosis)
    return f"{first.link.value}, {wording.format_title(first)}" + (f", {since}" if since else "")


def write_sentence(diagnosis: Diagnosis) -> str:
    """The first break as a person would say it, with the first thing that followed from it; empty where none broke."""
    first = wording.find_first_finding(diagnosis)
    said = "" if first is None else find_summary(first.code).rstrip(".")
    if first is None or not said:
        return ""
    followed = (find_summary(one.code) for one in diagnosis.findings if one.consequence_of == first.code)
    then = next((one for one in followed if one), "")
    return f"{said}: {then[0].lower()}{then[1:]}" if then else f"{said}."


def _show_finding(finding: Finding, diagnosis: Diagnosis, run: Run | None, charts: Collection[str]) -> ShownFinding:
    role = _describe_role(finding, diagnosis)
    return ShownFinding(
        code=finding.code,
        name=finding.name,
        link=finding.link.value if finding.link else "",
        level=finding.severity.word,
        message=finding.message,
        since=wording.describe_onset(finding, diagnosis),
        confidence=describe_confidence(finding.confidence),
        proofs=(*_list_proofs(finding, run, charts), *(_show_course(finding, run, charts) if role == "first" else ())),
        fix=finding.fix,
        verify=finding.verify,
        command=_pick_command(finding),
        about=describe_rule(finding.code),
        consequence_of=finding.consequence_of or "",
        role=role,
    )


def _pick_command(finding: Finding) -> str:
    """The command that proves it, where one is named, else the one that says more about it."""
    if finding.verify.startswith("weaklink "):
        return finding.verify
    named = _COMMAND.search(finding.verify)
    return named.group(1) if named else f"weaklink explain {finding.code}"


def _list_proofs(finding: Finding, run: Run | None, charts: Collection[str]) -> Iterator[ShownProof]:
    for one in finding.evidence:
        yield _make_proof(one.metric, wording.describe_measured(one, finding.onset, run), run, charts)


def _show_course(finding: Finding, run: Run | None, charts: Collection[str]) -> Iterator[ShownProof]:
    """How the success of the run went, beside what broke it."""
    course = None if run is None else run.performance
    if course is not None and all(one.metric != course.metric for one in finding.evidence):
        yield _make_proof(course.metric, course.told.removeprefix(f"{course.metric} "), run, charts)


def _make_proof(metric: str, measured: str, run: Run | None, charts: Collection[str]) -> ShownProof:
    key, chart = wording.find_own_key(metric, run), make_chart_id(metric)
    return ShownProof(
        metric=f"{metric} ({key})" if key else metric, measured=measured, chart=chart if chart in charts else ""
    )


def _describe_role(finding: Finding, diagnosis: Diagnosis) -> str:
    if finding is wording.find_first_finding(diagnosis):
        return "first"
    if finding.consequence_of is not None:
        return "consequence"
    return "break" if finding.severity >= Level.WARN else "info"
