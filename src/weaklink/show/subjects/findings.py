"""Findings as people read them, each with the charts that prove it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Collection, Iterator

from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.run import Run
from weaklink.base.finding import Finding, Level
from weaklink.judge.diagnosis.about import about
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import FindingShown, Proof
from weaklink.show.text import confidence

LONGEST_ID = 60
_COMMAND = re.compile(r"`(weaklink [^`]+)`")


def chart_id(metric: str) -> str:
    """The name of a metric's chart on its page: the same whenever the page is made anew."""
    plain = re.sub(r"[^a-z0-9]+", "-", metric.lower()).strip("-")
    if metric in METRICS:
        return plain
    return f"{plain[:LONGEST_ID]}-{zlib.crc32(metric.encode('utf-8', 'replace')):08x}"


def show_findings(
    diagnosis: Diagnosis, run: Run | None = None, charts: Collection[str] = ()
) -> tuple[FindingShown, ...]:
    """All findings in the order in which to read them; `charts` are the names of those on the page."""
    return tuple(_shown(finding, diagnosis, run, charts) for finding in diagnosis.findings)


def write_headline(diagnosis: Diagnosis, otherwise: str) -> str:
    """The answer in one line: the link that broke first, or what is said where none did."""
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        return otherwise
    since = wording.since(first, diagnosis)
    return f"{first.link.value}, {wording.title(first)}" + (f", {since}" if since else "")


def _shown(finding: Finding, diagnosis: Diagnosis, run: Run | None, charts: Collection[str]) -> FindingShown:
    role = _role(finding, diagnosis)
    return FindingShown(
        code=finding.code,
        name=finding.name,
        link=finding.link.value if finding.link else "",
        level=finding.severity.word,
        message=finding.message,
        since=wording.since(finding, diagnosis),
        confidence=confidence(finding.confidence),
        proofs=(*_proofs(finding, run, charts), *(_course(finding, run, charts) if role == "first" else ())),
        fix=finding.fix,
        verify=finding.verify,
        command=_command(finding),
        about=about(finding.code),
        consequence_of=finding.consequence_of or "",
        role=role,
    )


def _command(finding: Finding) -> str:
    """The command that proves it, where one is named, else the one that says more about it."""
    if finding.verify.startswith("weaklink "):
        return finding.verify
    named = _COMMAND.search(finding.verify)
    return named.group(1) if named else f"weaklink explain {finding.code}"


def _proofs(finding: Finding, run: Run | None, charts: Collection[str]) -> Iterator[Proof]:
    for one in finding.evidence:
        yield _proof(one.metric, wording.measured(one, finding.onset, run), run, charts)


def _course(finding: Finding, run: Run | None, charts: Collection[str]) -> Iterator[Proof]:
    """How the success of the run went, beside what broke it."""
    course = None if run is None else run.performance
    if course is not None and all(one.metric != course.metric for one in finding.evidence):
        yield _proof(course.metric, course.told.removeprefix(f"{course.metric} "), run, charts)


def _proof(metric: str, measured: str, run: Run | None, charts: Collection[str]) -> Proof:
    key, chart = wording.own_key(metric, run), chart_id(metric)
    return Proof(
        metric=f"{metric} ({key})" if key else metric, measured=measured, chart=chart if chart in charts else ""
    )


def _role(finding: Finding, diagnosis: Diagnosis) -> str:
    if finding is wording.first_finding(diagnosis):
        return "first"
    if finding.consequence_of is not None:
        return "consequence"
    return "break" if finding.severity >= Level.WARN else "info"
