"""Several runs: a table of their verdicts, what they say taken together, a page for each, and their curves together."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from weaklink.base.evidence.run import Run
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import wording
from weaklink.show.document import (
    TERMINAL,
    Block,
    Document,
    Page,
    Prose,
    Section,
    Strip,
    Strips,
    Table,
    TableRow,
    bind_pages,
)
from weaklink.show.subjects import run as of_run
from weaklink.show.subjects import triage
from weaklink.show.subjects.curves import PointBudget
from weaklink.show.subjects.findings import make_chart_id
from weaklink.show.subjects.overlaid import draw_together
from weaklink.show.subjects.patterns import show_patterns
from weaklink.show.text import count_noun, format_step
from weaklink.show.thinning import PageAxes, thin_run
from weaklink.verbs.diagnose import Diagnosed, Result, find_common_folder, list_failures
from weaklink.verbs.fleet.summary import RunSummary
from weaklink.verbs.targets import Failure

COMMAND = "diagnose"
HEAD = ("run", "verdict", "first break", "worst", "judged")
UNREADABLE = "unreadable"
STATES = {"broken": "broken", "healthy": "clean", "unclear": "unknown", UNREADABLE: "unknown"}
FULL_REPORT = "The full report of a run: weaklink diagnose and its path alone."

KEPT_POINTS = 400
MOST_PAGES = 24
"""Runs beyond this many have no curves of their own; broken ones come first."""
MOST_LISTED = 1000
"""Runs of a fleet with a page in the document: one without curves takes about three kilobytes."""


@dataclass(frozen=True, eq=False)
class KeptRun:
    """A run, condensed where there are several, and its diagnosis."""

    run: Run
    diagnosis: Diagnosis


class KeptRuns(list[KeptRun]):
    """Runs as they come, the first as it is, each condensed once there are two: a fleet takes little memory."""

    def keep(self, run: Run, diagnosis: Diagnosis) -> None:
        """One more run that was judged."""
        if len(self) == 1:
            self[0] = KeptRun(thin_run(self[0].run, KEPT_POINTS), self[0].diagnosis)
        self.append(KeptRun(thin_run(run, KEPT_POINTS) if self else run, diagnosis))


def build(
    diagnosed: Diagnosed,
    *,
    symptom: Symptom | None = None,
    kept: Sequence[KeptRun] = (),
    every: bool = False,
    paged: bool = True,
) -> Document:
    """Each run that was kept or else broke, and what they say together.

    Args:
        diagnosed: every result.
        symptom: what the user sees, to walk through its rules.
        kept: the runs whose curves are drawn.
        every: whether runs that did not break, and those that could not be read, have pages too.
        paged: whether a browser shows it.
    """
    axes = PageAxes()
    first, *drawn = show_together(diagnosed.results, diagnosed.together, kept, axes)
    sections = [first, *show_patterns(diagnosed.patterns), *drawn]
    if paged and kept and len(diagnosed.summaries) >= triage.FEWEST:
        pages, listed = _draw_all_pages(diagnosed, kept, symptom)
        runs, *mapped = triage.show_triage(diagnosed, listed)
        shown = Section(id=first.id, title=first.title, blocks=first.blocks[1:]) if len(first.blocks) > 1 else None
        sections = [runs, *show_patterns(diagnosed.patterns), *mapped, *([shown] if shown else []), *drawn]
    else:
        pages = _draw_pages(kept, symptom) if kept else _list_pages(diagnosed, symptom, every=every)
    if symptom is not None:
        names = symptom.rule_names()
        rules = ", ".join(f"{code} {names[code]}" for code in symptom.codes)
        told = Prose(title="", paragraphs=(f"Look at {rules} first. {symptom.advice}",))
        title = f"You see: {symptom.name}"
        sections.append(Section(id="symptom", title=title, blocks=(told,), where=(TERMINAL,)))
    if diagnosed.runs:
        sections.append(Section(id="more", title="", note=FULL_REPORT, blocks=(), folded=True, where=(TERMINAL,)))
    return bind_pages(pages, title=count_verdicts(diagnosed.results), together=sections, axes=axes.found)


def record(failure: Failure) -> dict[str, Any]:
    """A target that could not be read, under the keys of the contract."""
    return {"target": failure.target, "error": failure.message}


def _draw_pages(kept: Sequence[KeptRun], symptom: Symptom | None) -> list[Page]:
    """Broken runs first, as many as there is room for, in the order in which they came."""
    first = sorted(kept, key=lambda one: one.diagnosis.verdict.value != "broken")[:MOST_PAGES]
    shown = [one for one in kept if one in first]
    budget = PointBudget(pages=len(shown) + 1)
    return [
        of_run.build(
            one.diagnosis,
            one.run,
            id=f"run-{place + 1}-{make_chart_id(one.diagnosis.target)}",
            budget=budget,
            symptom=symptom,
        )
        for place, one in enumerate(shown)
    ]


def _draw_all_pages(
    diagnosed: Diagnosed, kept: Sequence[KeptRun], symptom: Symptom | None
) -> tuple[list[Page], dict[int, str]]:
    """A page for each run, worst first: those that were kept with their curves, the others with their return alone."""
    drawn = {one.diagnosis.target + one.run.name: one for one in kept[:MOST_PAGES]}
    budget = PointBudget(pages=len(drawn) + 1)
    pages, listed = [], {}
    ranked = [one for runs in triage.rank_runs(diagnosed.summaries) for one in runs]
    for place, one in enumerate(ranked[:MOST_LISTED]):
        listed[id(one)] = f"run-{place + 1}"
        full = drawn.get(one.diagnosis.target + one.peer.name)
        if full is not None:
            page = of_run.build(full.diagnosis, full.run, id=listed[id(one)], budget=budget, symptom=symptom)
        else:
            page = _build_short(one, listed[id(one)])
        pages.append(page)
    return pages, listed


def _build_short(one: RunSummary, id: str) -> Page:
    """A run whose curves are not drawn: what is said of it, its return in short, and its settings."""
    page = of_run.build(one.diagnosis, id=id)
    blocks: list[Block] = []
    if one.curve:
        blocks.append(Strips(title="", rows=(Strip(label=one.metric, values=one.curve),)))
    settings = tuple(TableRow(cells=(name, str(value))) for name, value in one.settings.items())
    if settings:
        blocks.append(Table(title="Settings", columns=("setting", "value"), rows=settings, settings=True))
    shown = Section(id="short", title="The run in short", blocks=tuple(blocks), note=FULL_REPORT)
    return msgspec.structs.replace(page, title=one.peer.name or page.title, sections=(shown,), advice=())


def _list_pages(diagnosed: Diagnosed, symptom: Symptom | None, *, every: bool) -> list[Page]:
    """What broke in the runs taken together, and in each of them; `every` run, where all are asked for."""
    together = diagnosed.together
    judged = [one for one in diagnosed.results if isinstance(one, Diagnosis) and (every or one.first_break is not None)]
    broken_together = [together] if together is not None and together.first_break is not None else []
    unread = list_failures(diagnosed.results) if every else ()
    pages = [of_run.build(one, symptom=symptom) for one in (*broken_together, *judged)]
    return [*pages, *map(_build_unreadable, unread)]


def _build_unreadable(failure: Failure) -> Page:
    return Page(
        id="unreadable",
        title=failure.target,
        command=of_run.COMMAND,
        verdict="unclear",
        headline=failure.message,
        word="unreadable",
    )


def show_together(
    results: Sequence[Result], judged: Diagnosis | None, kept: Sequence[KeptRun], axes: PageAxes
) -> list[Section]:
    """The table of verdicts, what the runs show as a whole, and their curves."""
    folder = find_common_folder(results)
    rows = tuple(_make_row(result, folder) for result in results)
    note = f"in {folder}" if folder else ""
    blocks: list[Block] = [Table(title="", columns=HEAD, rows=rows, note=note, names=(0,))]
    unread = tuple(failure.message for failure in list_failures(results))
    if unread:
        blocks.append(Prose(title="Could not be read", paragraphs=unread))
    if judged is not None and judged.findings:
        said = tuple(
            TableRow(
                cells=(
                    one.severity.word,
                    wording.format_title(one),
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
    return f"{count_noun(len(results), 'run')}: {', '.join(parts) or 'nothing was judged'}"


def _make_row(result: Result, folder: str) -> TableRow:
    name = os.path.relpath(result.target, folder) if folder else result.target
    if isinstance(result, Failure):
        return TableRow(cells=(name, UNREADABLE, "", "", ""), state=STATES[UNREADABLE])
    verdict, broke = result.verdict.value, result.first_break
    finding = wording.find_first_finding(result)
    placed = broke is not None and not (finding is not None and wording.has_no_onset(finding, result))
    place = "" if broke is None or broke.step is None or not placed else f" @ {format_step(broke.step)}"
    first = "" if broke is None else f"{broke.link.value} {broke.code}{place}"
    worst = "" if result.worst is None else result.worst.word
    return TableRow(cells=(name, verdict, first, worst, f"{result.judged}/{result.asked}"), state=STATES[verdict])
