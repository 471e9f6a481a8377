"""The page of an audit: samples side by side, what is paid, and what a verifier did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from weaklink.base.evidence.samples import Samples, Shown
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Finding
from weaklink.collect.samples.tables import Tables
from weaklink.collect.samples.trends import Trend
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import audit_wording as told
from weaklink.show import wording
from weaklink.show.columns import LONGEST_LOOK
from weaklink.show.page.blocks import Block, Chart, Page, Prose, Row, Section, Side, Sides, Table, Text
from weaklink.show.page.coverage import coverage
from weaklink.show.page.curves import MOST_POINTS, Budget, Curves, curves, limits, marks, proving
from weaklink.show.page.findings import chart_id, findings, headline
from weaklink.show.page.loop import links
from weaklink.show.page.thinning import Axes, thinned
from weaklink.show.text import number, several, shortened, step
from weaklink.verbs.audit import Audited

MOST_TEXTS = 8
LONGEST_PROMPT = 2000
STEP = "training step"


def audit_page(audited: Audited, *, id: str = "audit") -> Page:
    """Samples, judged."""
    diagnosis, samples, tables = audited.diagnosis, audited.samples, audited.tables
    run = None if samples is None else samples.run
    drawn = Curves() if run is None else curves(run, diagnosis, Budget(pages=2))
    sections = [*_verifier(audited)]
    if samples is not None and tables is not None:
        sections += [_side_by_side(samples), _paid(tables), *_trends(audited, tables, drawn.axes), *_partings(samples)]
    names = drawn.names | {chart_id(trend.name) for trend in (tables.trends if tables else ())}
    charts = (*drawn.known, *drawn.unknown)
    if charts:
        title = "Curves of the samples and of the log"
        sections.append(Section(id="curves", title=title, blocks=charts, folded=not any(c.proves for c in charts)))
    remarks = tuple(line.strip() for line in told.remarks(audited) if line.strip())
    if remarks:
        notes = Prose(title="Remarks", paragraphs=remarks)
        sections.append(Section(id="remarks", title="Remarks on the samples", blocks=(notes,), folded=True))
    return Page(
        id=id,
        title=diagnosis.target,
        command="audit",
        verdict=diagnosis.verdict.value,
        headline=headline(diagnosis, told.reason(audited)),
        facts=tuple(("samples" if place == 0 else "", fact) for place, fact in enumerate(told.facts(audited))),
        loop=links(diagnosis),
        findings=findings(diagnosis, told.curves(audited), names),
        sections=(*(section for section in sections if section.blocks), coverage(diagnosis)),
        advice=diagnosis.advice,
        axes=drawn.axes.found,
    )


def _side_by_side(samples: Samples) -> Section:
    kinds = zip(told.KINDS, (samples.best, samples.worst, samples.random), strict=True)
    sides = tuple(
        Side(title=title, texts=tuple(_text(one, samples.outcome) for one in shown[:MOST_TEXTS]))
        for title, shown in kinds
        if shown
    )
    blocks = (Sides(title="Samples", sides=sides),) if sides else ()
    return Section(id="samples", title="Samples side by side", blocks=blocks)


def _text(shown: Shown, outcome: str | None) -> Text:
    """One sample: its prompt as the title, the completion as the body, both cut in their middle where they are long."""
    facts = [("row", f"{shown.row + 1:,}")]
    if shown.reward is not None:
        facts.insert(0, ("reward", number(shown.reward)))
    if shown.outcome is not None:
        facts.append((outcome or "outcome", number(shown.outcome)))
    if shown.step is not None:
        facts.append(("step", step(shown.step)))
    facts += [(name, number(value)) for name, value in shown.rewards.items()]
    body = shortened(shown.completion, LONGEST_LOOK)
    return Text(
        title=shortened(shown.prompt, LONGEST_PROMPT),
        body=body,
        facts=tuple(facts),
        cut=max(len(shown.completion) - len(body), 0),
    )


def _paid(tables: Tables) -> Section:
    blocks: list[Block] = []
    blocks += _table("What is paid", told.COMPONENTS, [told.component_cells(one) for one in tables.components])
    blocks += _table("What the reward follows", told.LEANINGS, [told.leaning_cells(one) for one in tables.leanings])
    if tables.groups is not None:
        blocks.append(Prose(title="Groups", paragraphs=tuple(told.group_lines(tables.groups))))
    return Section(id="paid", title="What is paid for", blocks=tuple(blocks))


def _table(title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]], note: str = "") -> list[Table]:
    shown = tuple(Row(cells=row) for row in rows)
    numeric = tuple(range(1, len(head)))
    return [Table(title=title, columns=tuple(head), rows=shown, note=note, numeric=numeric)] if rows else []


def _trends(audited: Audited, tables: Tables, axes: Axes) -> Iterable[Section]:
    if not tables.trends:
        return
    proofs = proving(audited.diagnosis)
    blocks: list[Block] = [
        _trend(trend, proofs.get(trend.name, []), audited.diagnosis, axes) for trend in tables.trends
    ]
    if tables.peak is not None:
        blocks.append(Prose(title="Where what is paid parted from what is good", paragraphs=(told.peak(tables.peak),)))
    yield Section(id="trends", title="By training step", blocks=tuple(blocks))


def _trend(trend: Trend, proved: Sequence[Finding], diagnosis: Diagnosis, axes: Axes) -> Chart:
    series = Series.of(trend.name, np.asarray(trend.steps), np.asarray(trend.values))
    return Chart(
        id=chart_id(trend.name),
        title=trend.name,
        lines=(axes.line(trend.name, thinned(series, MOST_POINTS), STEP),),
        note=f"from {number(trend.start)} to {number(trend.end)}",
        codes=tuple(dict.fromkeys(finding.code for finding in proved)),
        proves=any(finding in wording.breaks(diagnosis) for finding in proved),
        marks=marks(proved, diagnosis),
        limits=limits(trend.name, proved),
    )


def _partings(samples: Samples) -> Iterable[Section]:
    rows = [(told.task(one), told.parting(one)) for one in samples.partings]
    shown = tuple(Row(cells=row) for row in rows)
    if shown:
        table = Table(title="Trajectories", columns=("task", "where they part"), rows=shown)
        yield Section(id="partings", title="Where success and failure part", blocks=(table,))


def _verifier(audited: Audited) -> Iterable[Section]:
    check = audited.verifier
    if check is None:
        return
    blocks: list[Block] = [Prose(title=check.name, paragraphs=(told.tried(check), *check.notes))]
    for family, title in told.FAMILIES.items():
        odd, rest = told.notable(family, audited.tried)
        rows = [told.tried_cells(one) for one in odd]
        blocks += _table(title.capitalize(), ("kind", *told.TRIED), rows, note=rest)
        if rest and not rows:
            blocks.append(Prose(title=title.capitalize(), paragraphs=(f"{rest}.",)))
    yield Section(id="verifier", title=f"The verifier, tried with {several(check.calls, 'call')}", blocks=tuple(blocks))
