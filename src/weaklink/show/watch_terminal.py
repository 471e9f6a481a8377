"""What happens to followed runs, for a person: a few lines for each event, and one line on how each run stands."""

from __future__ import annotations

import time
from collections.abc import Sequence

from weaklink.base.finding import Finding
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.layout import Page, Span
from weaklink.show.text import number, several, step
from weaklink.verbs.watch.events import Event, Kind, Status

INDENT = 10
HEAD = ("run", "step", "steps/s", "success", "verdict so far")


def told(event: Event, page: Page) -> Page:
    """Writes one event."""
    clock: Span = (time.strftime("%H:%M:%S  ", time.localtime(event.time)), "dim")
    diagnosis, finding = event.diagnosis, event.finding
    if diagnosis is None:
        word: Span = ("UNREADABLE  ", "unclear") if event.kind is Kind.VERDICT else ("", "")
        page.text(clock, word, (event.message, ""), hang=INDENT)
    elif event.kind is Kind.VERDICT:
        page.text(clock, *_verdict(diagnosis), (f"  {event.target}", "dim"), hang=INDENT)
    elif finding is None:
        page.text(clock, (event.target, "strong"), (f"  {_met(diagnosis)}", "dim"), hang=INDENT)
    elif event.kind is Kind.GONE:
        page.text(
            clock, (wording.title(finding), ""), (" is no longer seen", ""), (f"  {event.target}", "dim"), hang=INDENT
        )
    else:
        _finding(clock, finding, diagnosis, event.target, page)
    return page


def standing(statuses: Sequence[Status], most: int, page: Page) -> Page:
    """Writes how each run stands, a line for each; of many, those that grew last."""
    shown = statuses[:most]
    page.table(HEAD, [_row(status) for status in shown], stretch=0)
    if len(statuses) > len(shown):
        page.line((f"and {several(len(statuses) - len(shown), 'more run')}", "dim"))
    return page


def _finding(clock: Span, finding: Finding, diagnosis: Diagnosis, target: str, page: Page) -> None:
    level = finding.severity.word
    page.text(
        clock,
        (level.upper(), level),
        (f"  {wording.title(finding)}", "strong"),
        (f"  {wording.whereabouts(finding, diagnosis)}", ""),
        (f"  {target}", "dim"),
        hang=INDENT,
    )
    page.text((finding.message, ""), indent=INDENT)
    if finding.consequence_of is not None:
        page.text((f"It follows from {finding.consequence_of}.", "dim"), indent=INDENT)
    elif finding.fix:
        page.text(("To do: ", "dim"), (finding.fix[0], ""), indent=INDENT, hang=2)


def _met(diagnosis: Diagnosis) -> str:
    parts = (diagnosis.framework, f"{step(diagnosis.steps)} steps so far" if diagnosis.steps else "")
    return "is followed" + "".join(f", {part}" for part in parts if part)


def _verdict(diagnosis: Diagnosis) -> list[Span]:
    word: Span = (diagnosis.verdict.value.upper(), diagnosis.verdict.value)
    first = wording.first_finding(diagnosis)
    if first is None:
        return [word, (f"  {wording.judged(diagnosis)}", "")]
    return [word, (f"  {wording.title(first)}", "strong"), (f"  {wording.whereabouts(first, diagnosis)}", "")]


def _row(status: Status) -> list[Span]:
    diagnosis = status.diagnosis
    first = wording.first_finding(diagnosis)
    verdict = diagnosis.verdict.value + ("" if first is None else f": {wording.title(first)}")
    return [
        (status.target, "strong"),
        (step(diagnosis.steps), ""),
        ("" if status.rate is None else number(status.rate), ""),
        ("" if status.value is None else number(status.value), ""),
        (verdict, "" if first is None else first.severity.word),
    ]
