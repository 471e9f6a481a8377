"""Checked kernels for a person, as Markdown and as data: what is wrong in full, each function in a line."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from weaklink.base.evidence.kernels import RIGHT, UNCLEAR, WRONG, KernelChecks
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.data import document, encoded, envelope
from weaklink.show.layout import Page, Span
from weaklink.show.markdown import broken, listed, table_row
from weaklink.show.terminal import findings, heading
from weaklink.show.text import code, prose, several

MARKS = {RIGHT: "ok", WRONG: "WRONG", UNCLEAR: "not judged"}
STYLES = {RIGHT: "", WRONG: "error", UNCLEAR: "dim"}
MOST_NAMED = 8


def page(diagnosis: Diagnosis, checks: KernelChecks, on: Page) -> Page:
    """For a terminal."""
    verdict: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None or first.link is None:
        on.text(verdict, ("  ", ""), (counted(checks), ""), hang=len(verdict[0]) + 2)
    else:
        on.line(verdict, ("  ", ""), (first.link.value, "strong"), ("  ", ""), (wording.title(first), "strong"))
    on.text((checks.name, "dim"))
    findings(diagnosis, None, on)
    if checks.checks:
        heading("Kernels", on, indent=0)
    for check in checks.checks:
        spans: list[Span] = [(f"{MARKS[check.verdict]:<10}  ", STYLES[check.verdict]), (check.kernel, "strong")]
        on.text(*spans, (f"  {check.told}", ""), indent=2, hang=12)
    for line in remarks(checks):
        on.text((line, "dim"), hang=2)
    return on


def markdown(diagnosis: Diagnosis, checks: KernelChecks) -> str:
    """For the summary of a CI job."""
    lines = [f"## {diagnosis.verdict.value.upper()}: {prose(counted(checks))}", "", code(checks.name)]
    lines += [line for finding in wording.breaks(diagnosis) for line in broken(finding, diagnosis, None, 3)]
    lines += ["", table_row(("kernel", "verdict", "what was seen")), table_row(("---", "---", "---"))]
    lines += [table_row((code(check.kernel), MARKS[check.verdict], prose(check.told))) for check in checks.checks]
    lines += listed("Remarks", map(prose, remarks(checks)))
    return "\n".join(lines) + "\n"


def line(diagnosis: Diagnosis, checks: KernelChecks) -> str:
    """As one line of JSON."""
    kernels = [{**msgspec.to_builtins(check), "place": check.place} for check in checks.checks]
    more = {"kernels": kernels, "unrecognised": list(checks.unrecognised)}
    return encoded({**envelope("probe"), **document(diagnosis), **more})


def counted(checks: KernelChecks) -> str:
    """How many are right."""
    right = sum(check.verdict == RIGHT for check in checks.checks)
    return f"{right} of {several(len(checks.checks), 'kernel')} right"


def remarks(checks: KernelChecks) -> Iterable[str]:
    """What else is to be said of the module."""
    if checks.unrecognised:
        named = ", ".join(checks.unrecognised[:MOST_NAMED])
        more = f" and {len(checks.unrecognised) - MOST_NAMED} more" if len(checks.unrecognised) > MOST_NAMED else ""
        yield f"Not recognised by name: {named}{more}. WEAKLINK_KERNELS = {{'gae': function}} in the module names them."
