"""Several runs: a table of their verdicts, what they say taken together, a page for each, and their curves together."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import wording
from weaklink.show.document import TERMINAL, Block, Document, Page, Prose, Row, Section, Table, bind_pages
from weaklink.show.subjects import run as of_run
from weaklink.show.subjects.curves import Budget
from weaklink.show.subjects.findings import chart_id
from weaklink.show.subjects.overlaid import draw_together
from weaklink.show.text import several, step
from weaklink.show.thinning import Axes, condensed

COMMAND = "diagnose"
HEAD = ("run", "verdict", "first break", "worst", "judged")
UNREADABLE = "unreadable"
STATES = {"broken": "broken", "healthy": "clean", "unclear": "unknown", UNREADABLE: "unknown"}
FULL_REPORT = "The full report of a run: weaklink diagnose and its path alone."

KEPT_POINTS = 400
MOST_PAGES = 24
"""Runs beyond this many have a row in the table and no page of their own; broken ones come first."""


class Failure(msgspec.Struct, frozen=True):
    """A target that could not be read, and why."""

    target: str
    message: str


Result = Diagnosis | Failure


@dataclass(frozen=True, eq=False)
class Kept:
    """A run, condensed where there are several, and its diagnosis."""

    run: Run
    diagnosis: Diagnosis


@dataclass
class RunsReport:
    """Runs as they come, kept small, until the document is made of all of them.

    Where nothing is `drawn`, only the first run is kept: a fleet of any size needs little memory.
    """

    symptom: Symptom | None = None
    drawn: bool = True
    kept: list[Kept] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)
    together: Diagnosis | None = None

    def add(self, run: Run, diagnosis: Diagnosis) -> None:
        """One more run that was judged."""
        self.results.append(diagnosis)
        if self.kept and not self.drawn:
            return
        if len(self.kept) == 1:
            self.kept[0] = Kept(condensed(self.kept[0].run, KEPT_POINTS), self.kept[0].diagnosis)
        self.kept.append(Kept(condensed(run, KEPT_POINTS) if self.kept else run, diagnosis))

    def fail(self, failure: Failure) -> None:
        """One that could not be read."""
        self.results.append(failure)


def build(report: RunsReport) -> Document:
    """One run in full; of several each that is drawn or broke, and what they say together."""
    pages = _drawn_pages(report) if report.drawn or len(report.results) == 1 else _broken_pages(report)
    if len(report.results) < 2:
        return bind_pages(pages)
    axes = Axes()
    sections = show_together(report.results, report.together, report.kept if report.drawn else (), axes)
    if report.symptom is not None:
        names = report.symptom.rule_names()
        listed = ", ".join(f"{code} {names[code]}" for code in report.symptom.codes)
        told = Prose(title="", paragraphs=(f"Look at {listed} first. {report.symptom.advice}",))
        title = f"You see: {report.symptom.name}"
        sections.append(Section(id="symptom", title=title, blocks=(told,), where=(TERMINAL,)))
    if any(isinstance(result, Diagnosis) for result in report.results):
        sections.append(Section(id="more", title="", note=FULL_REPORT, blocks=(), folded=True, where=(TERMINAL,)))
    return bind_pages(pages, title=count_verdicts(report.results), together=sections, axes=axes.found)


def record(failure: Failure) -> dict[str, Any]:
    """A target that could not be read, under the keys of the contract."""
    return {"target": failure.target, "error": failure.message}


def _drawn_pages(report: RunsReport) -> list[Page]:
    several_runs = len(report.results) > 1
    shown = sorted(report.kept, key=lambda one: one.diagnosis.verdict.value != "broken")[:MOST_PAGES]
    kept = [one for one in report.kept if one in shown]
    budget = Budget(pages=len(kept) + several_runs)
    return [
        of_run.build(
            one.diagnosis,
            one.run,
            id=f"run-{place + 1}-{chart_id(one.diagnosis.target)}" if several_runs else "run",
            budget=budget,
            symptom=report.symptom,
        )
        for place, one in enumerate(kept)
    ]


def _broken_pages(report: RunsReport) -> list[Page]:
    """What broke in the runs taken together, and in each of them."""
    judged = (report.together, *report.results)
    return [
        of_run.build(one, symptom=report.symptom)
        for one in judged
        if isinstance(one, Diagnosis) and one.first_break is not None
    ]


def show_together(
    results: Sequence[Result], judged: Diagnosis | None, kept: Sequence[Kept], axes: Axes
) -> list[Section]:
    """The table of verdicts, what the runs show as a whole, and their curves."""
    folder = folder_of(results)
    rows = tuple(_row(result, folder) for result in results)
    note = f"in {folder}" if folder else ""
    blocks: list[Block] = [Table(title="", columns=HEAD, rows=rows, note=note, names=(0,))]
    unread = tuple(failure.message for failure in failures(results))
    if unread:
        blocks.append(Prose(title="Could not be read", paragraphs=unread))
    if judged is not None and judged.findings:
        said = tuple(
            Row(
                cells=(
                    one.severity.word,
                    wording.title(one),
                    " To do: ".join((one.message, *one.fix[:1])),
                )
            )
            for one in judged.findings
        )
        columns = ("level", "finding", "what was seen")
        blocks.append(Table(title="The runs taken together", columns=columns, rows=said, listed=True))
    sections = [Section(id="runs", title="The runs", blocks=tuple(blocks))]
    return [*sections, *draw_together([one.run for one in kept], [one.diagnosis for one in kept], axes)]


def count_verdicts(results: Sequence[Result]) -> str:
    """`12 runs: 3 broken, 8 healthy, 1 unreadable`."""
    words = Counter(UNREADABLE if isinstance(result, Failure) else result.verdict.value for result in results)
    parts = [f"{words[word]} {word}" for word in ("broken", "unclear", "healthy", UNREADABLE) if words[word]]
    return f"{several(len(results), 'run')}: {', '.join(parts) or 'nothing was judged'}"


def failures(results: Sequence[Result]) -> list[Failure]:
    """The targets that could not be read."""
    return [result for result in results if isinstance(result, Failure)]


def _row(result: Result, folder: str) -> Row:
    name = os.path.relpath(result.target, folder) if folder else result.target
    if isinstance(result, Failure):
        return Row(cells=(name, UNREADABLE, "", "", ""), state=STATES[UNREADABLE])
    verdict, broke = result.verdict.value, result.first_break
    finding = wording.first_finding(result)
    placed = broke is not None and not (finding is not None and wording.throughout(finding, result))
    place = "" if broke is None or broke.step is None or not placed else f" @ {step(broke.step)}"
    first = "" if broke is None else f"{broke.link.value} {broke.code}{place}"
    worst = "" if result.worst is None else result.worst.word
    return Row(cells=(name, verdict, first, worst, f"{result.judged}/{result.asked}"), state=STATES[verdict])


def folder_of(results: Sequence[Result]) -> str:
    """The folder that all targets lie in, or nothing where there is none."""
    targets = [result.target for result in results]
    if len(targets) < 2 or not all(os.sep in target for target in targets):
        return ""
    try:
        return os.path.commonpath([os.path.dirname(target) for target in targets])
    except ValueError:  # some are absolute and some are not
        return ""
