"""What happens to followed runs: a few lines or a record for each event, and one line on how each run stands."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from weaklink.base.finding import Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.layout import Span, TerminalSheet
from weaklink.show.subjects.judged import record_diagnosis, record_finding
from weaklink.show.text import count_noun, format_number, format_step
from weaklink.verbs.watch.events import Event, EventKind, RunStatus

COMMAND = "watch"
INDENT = 10
HEAD = ("run", "step", "steps/s", "success", "verdict so far")


def write_event(event: Event, sheet: TerminalSheet) -> TerminalSheet:
    """Writes one event."""
    clock: Span = (time.strftime("%H:%M:%S  ", time.localtime(event.time)), "dim")
    diagnosis, finding = event.diagnosis, event.finding
    if diagnosis is None:
        word: Span = ("UNREADABLE  ", "unclear") if event.kind is EventKind.VERDICT else ("", "")
        sheet.text(clock, word, (event.message, ""), hang=INDENT)
    elif event.kind is EventKind.VERDICT:
        sheet.text(clock, *_describe_verdict(diagnosis), (f"  {event.target}", "dim"), hang=INDENT)
    elif finding is None:
        sheet.text(clock, (event.target, "strong"), (f"  {_describe_start(diagnosis)}", "dim"), hang=INDENT)
    elif event.kind is EventKind.GONE:
        sheet.text(
            clock,
            (wording.format_title(finding), ""),
            (" is no longer seen", ""),
            (f"  {event.target}", "dim"),
            hang=INDENT,
        )
    else:
        _write_finding(clock, finding, diagnosis, event.target, sheet)
    return sheet


def record(event: Event) -> dict[str, Any]:
    """One event, as docs/watch.md describes it."""
    head: dict[str, Any] = {"event": event.kind.value, "time": round(event.time, 3), "target": event.target}
    diagnosis = event.diagnosis
    if diagnosis is None:
        return {**head, "error" if event.kind is EventKind.VERDICT else "message": event.message}
    whole = record_diagnosis(diagnosis)
    if event.kind is EventKind.VERDICT:
        return {**head, **whole, "target": event.target}
    if event.finding is not None:
        found = record_finding(event.finding)
        return {**head, "finding": found, "steps": whole["steps"], "verdict": whole["verdict"]}
    return {**head, "framework": whole["framework"], "steps": whole["steps"]}


def write_standing(statuses: Sequence[RunStatus], most: int, sheet: TerminalSheet) -> TerminalSheet:
    """Writes how each run stands, a line for each; of many, those that grew last."""
    shown = statuses[:most]
    sheet.table(HEAD, [_make_row(status) for status in shown], stretch=0)
    if len(statuses) > len(shown):
        sheet.line((f"and {count_noun(len(statuses) - len(shown), 'more run')}", "dim"))
    return sheet


def _write_finding(clock: Span, finding: Finding, diagnosis: Diagnosis, target: str, sheet: TerminalSheet) -> None:
    level = finding.severity.word
    sheet.text(
        clock,
        (level.upper(), level),
        (f"  {wording.format_title(finding)}", "strong"),
        (f"  {wording.describe_place(finding, diagnosis)}", ""),
        (f"  {target}", "dim"),
        hang=INDENT,
    )
    sheet.text((finding.message, ""), indent=INDENT)
    if finding.consequence_of is not None:
        sheet.text((f"It follows from {finding.consequence_of}.", "dim"), indent=INDENT)
    elif finding.fix:
        sheet.text(("To do: ", "dim"), (finding.fix[0], ""), indent=INDENT, hang=2)


def _describe_start(diagnosis: Diagnosis) -> str:
    parts = (diagnosis.framework, f"{format_step(diagnosis.steps)} steps so far" if diagnosis.steps else "")
    return "is followed" + "".join(f", {part}" for part in parts if part)


def _describe_verdict(diagnosis: Diagnosis) -> list[Span]:
    word: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.find_first_finding(diagnosis)
    if first is None:
        return [word, (f"  {wording.describe_coverage(diagnosis)}", "")]
    return [word, (f"  {wording.format_title(first)}", "strong"), (f"  {wording.describe_place(first, diagnosis)}", "")]


def _make_row(status: RunStatus) -> list[Span]:
    diagnosis = status.diagnosis
    first = wording.find_first_finding(diagnosis)
    verdict = diagnosis.verdict.value + ("" if first is None else f": {wording.format_title(first)}")
    return [
        (status.target, "strong"),
        (format_step(diagnosis.steps), ""),
        ("" if status.rate is None else format_number(status.rate), ""),
        ("" if status.value is None else format_number(status.value), ""),
        (verdict, "" if first is None else first.severity.word),
    ]
