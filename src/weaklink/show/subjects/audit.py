"""An audit: samples side by side, what is paid, and what a verifier did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.samples import Samples, ShownSample
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Finding
from weaklink.collect.samples.tables import AuditTables
from weaklink.collect.samples.trends import SampleTrend
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.columns import LONGEST_LOOK
from weaklink.show.document import (
    HTML,
    TEXT,
    WHOLE,
    Block,
    Chart,
    Page,
    Prose,
    QuotedText,
    Section,
    Table,
    TableRow,
    TextColumn,
    TextColumns,
)
from weaklink.show.subjects import audit_words as words
from weaklink.show.subjects.coverage import show_coverage
from weaklink.show.subjects.curves import (
    MOST_POINTS,
    PointBudget,
    RunCurves,
    draw_run,
    find_limits,
    find_proofs,
    mark_onsets,
)
from weaklink.show.subjects.findings import make_chart_id
from weaklink.show.subjects.judged import build_judged, record_diagnosis
from weaklink.show.text import count_noun, format_number, format_step, shorten
from weaklink.show.thinning import PageAxes, thin_series
from weaklink.verbs.audit import Audited

COMMAND = "audit"
KINDS = ("high reward", "low reward", "at random")
"""The three columns in which samples stand side by side."""

COMPONENTS = ("paid for", "mean", "spread", "share", "with outcome")
LEANINGS = ("reward follows", "all rows", "equal outcome")
TRIED = ("kind", "tried", "lowest", "highest", "failed")
MOST_TEXTS = 8
FEW_TEXTS = 3
FEW_LEANINGS = 10
FEW_PARTINGS = 5
FEW_WISHES = 5
LONGEST_PROMPT = 2000
STEP = "training step"
NO_TRENDS = "No trends: the rows name no training step, or only one (field step)."


def build(audited: Audited, *, id: str = COMMAND) -> Page:
    """Samples, judged."""
    diagnosis, samples, tables = audited.diagnosis, audited.samples, audited.tables
    run = None if samples is None else samples.run
    drawn = RunCurves() if run is None else draw_run(run, diagnosis, PointBudget(pages=2))
    sections = [*_show_verifier(audited)]
    if samples is not None and tables is not None:
        sections += [
            _show_samples(samples),
            _show_paid(tables),
            _draw_trends(audited, tables, drawn.axes),
            _show_partings(samples),
        ]
    charts = (*drawn.known, *drawn.unknown)
    title, folded = "Curves of the samples and of the log", not any(chart.proves for chart in charts)
    sections.append(Section(id="curves", title=title, blocks=charts, folded=folded, where=(HTML,)))
    facts = words.list_facts(audited)
    return build_judged(
        diagnosis,
        id=id,
        title=diagnosis.target,
        command=COMMAND,
        reason=words.explain_verdict(audited),
        facts=[("samples" if not place else "", fact) for place, fact in enumerate(facts)],
        sections=sections,
        run=words.pick_curves(audited),
        charts=drawn.names | {make_chart_id(trend.name) for trend in (tables.trends if tables else ())},
        axes=drawn.axes.found,
        coverage=show_coverage(diagnosis, remarks=words.list_remarks(audited), to_log="add", wishes=FEW_WISHES),
    )


def record(audited: Audited) -> dict[str, Any]:
    """The diagnosis with samples side by side and the numbers of every table, under the keys of the contract."""
    check = audited.verifier
    tried = None if check is None else {**msgspec.to_builtins(check), "kinds": msgspec.to_builtins(audited.tried)}
    return {
        **record_diagnosis(audited.diagnosis),
        "stopped": audited.stopped,
        "samples": None if audited.samples is None else _record_samples(audited, audited.samples),
        "tables": None if audited.tables is None else _record_tables(audited.tables),
        "verifier": tried,
    }


def _record_samples(audited: Audited, samples: Samples) -> dict[str, Any]:
    baseline = samples.baseline
    return {
        "rows": samples.rows,
        "used": len(samples),
        "faulty": audited.faulty,
        "faults": list(samples.faults),
        "unused_fields": list(samples.unknown),
        "baseline": None if baseline is None else {"name": baseline.name, "rows": baseline.rows},
        "high_reward": _record_shown(samples.best),
        "low_reward": _record_shown(samples.worst),
        "random": _record_shown(samples.random),
        "partings": msgspec.to_builtins(samples.partings),
    }


def _record_shown(shown: Iterable[ShownSample]) -> list[dict[str, Any]]:
    return [
        msgspec.to_builtins(one)
        | {name: shorten(getattr(one, name), LONGEST_LOOK) for name in ("prompt", "completion")}
        | {"row": one.row + 1}
        for one in shown
    ]


def _record_tables(tables: AuditTables) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(tables)
    trends = [{**msgspec.to_builtins(one), "start": one.start, "end": one.end} for one in tables.trends]
    return body | {"trends": trends}


def _show_samples(samples: Samples) -> Section:
    kinds = zip(KINDS, (samples.best, samples.worst, samples.random), strict=True)
    sides = tuple(
        TextColumn(title=title, texts=tuple(_show_text(one, samples.outcome) for one in shown[:MOST_TEXTS]))
        for title, shown in kinds
        if shown
    )
    blocks = (TextColumns(title="", sides=sides, short=FEW_TEXTS),) if sides else ()
    return Section(id="samples", title="Samples side by side", blocks=blocks, view=WHOLE)


def _show_text(shown: ShownSample, outcome: str | None) -> QuotedText:
    """One sample: its prompt as the title, the completion as the body, both cut in their middle where they are long."""
    numbers = (("reward", shown.reward), (outcome or "outcome", shown.outcome))
    facts = [(name, format_number(value)) for name, value in numbers if value is not None]
    facts += [] if shown.step is None else [("step", format_step(shown.step))]
    facts += [("row", f"{shown.row + 1:,}"), *((name, format_number(value)) for name, value in shown.rewards.items())]
    body = shorten(shown.completion, LONGEST_LOOK)
    cut = max(len(shown.completion) - len(body), 0)
    return QuotedText(title=shorten(shown.prompt, LONGEST_PROMPT), body=body, facts=tuple(facts), cut=cut)


def _show_paid(tables: AuditTables) -> Section:
    blocks: list[Block] = [
        *_make_table("What is paid", COMPONENTS, [words.make_component_cells(one) for one in tables.components]),
        *_make_table(
            "What the reward follows",
            LEANINGS,
            [words.make_leaning_cells(one) for one in tables.leanings],
            short=FEW_LEANINGS,
        ),
    ]
    if tables.groups is not None:
        blocks.append(Prose(title="Groups", paragraphs=tuple(words.describe_groups(tables.groups))))
    return Section(id="paid", title="What is paid for", blocks=tuple(blocks), view=WHOLE)


def _make_table(
    title: str, head: Sequence[str], rows: Sequence[tuple[str, ...]], *, note: str = "", short: int = 0
) -> list[Table]:
    shown = tuple(TableRow(cells=row) for row in rows)
    numeric = tuple(range(1, len(head)))
    made = Table(title=title, columns=tuple(head), rows=shown, note=note, numeric=numeric, names=(0,), short=short)
    return [made] if rows else []


def _draw_trends(audited: Audited, tables: AuditTables, axes: PageAxes) -> Section:
    proofs = find_proofs(audited.diagnosis)
    blocks: list[Block] = [
        _draw_trend(trend, proofs.get(trend.name, []), audited.diagnosis, axes) for trend in tables.trends
    ]
    if not blocks:
        blocks.append(Prose(title="", paragraphs=(NO_TRENDS,), where=TEXT))
    if tables.peak is not None:
        blocks.append(
            Prose(title="Where what is paid parted from what is good", paragraphs=(words.describe_peak(tables.peak),))
        )
    return Section(id="trends", title="By training step", blocks=tuple(blocks), view=WHOLE)


def _draw_trend(trend: SampleTrend, proved: Sequence[Finding], diagnosis: Diagnosis, axes: PageAxes) -> Chart:
    series = Series.of(trend.name, np.asarray(trend.steps), np.asarray(trend.values))
    return Chart(
        id=make_chart_id(trend.name),
        title=trend.name,
        lines=(axes.line(trend.name, thin_series(series, MOST_POINTS), STEP),),
        note=f"from {format_number(trend.start)} to {format_number(trend.end)}",
        codes=tuple(dict.fromkeys(finding.code for finding in proved)),
        proves=any(finding in wording.list_breaks(diagnosis) for finding in proved),
        marks=mark_onsets(proved, diagnosis),
        limits=find_limits(trend.name, proved),
    )


def _show_partings(samples: Samples) -> Section:
    rows = tuple(TableRow(cells=(words.describe_task(one), words.describe_parting(one))) for one in samples.partings)
    columns = ("task", "where they part")
    table = Table(title="", columns=columns, rows=rows, names=(0,), short=FEW_PARTINGS, listed=True)
    blocks = (table,) if rows else ()
    return Section(id="partings", title="Where success and failure part", blocks=blocks, view=WHOLE)


def _show_verifier(audited: Audited) -> Iterable[Section]:
    check = audited.verifier
    if check is None:
        return
    blocks: list[Block] = [
        Prose(title=f"Verifier {check.name}", paragraphs=(words.describe_trial(check), *check.notes))
    ]
    for family, title in words.FAMILIES.items():
        odd, rest = words.list_notable(family, audited.tried)
        rows = [words.make_trial_cells(one) for one in odd]
        blocks += _make_table(title.capitalize(), TRIED, rows, note=rest)
        if rest and not rows:
            blocks.append(Prose(title=title.capitalize(), paragraphs=(f"{rest}.",)))
    yield Section(
        id="verifier",
        title=f"The verifier, tried with {count_noun(check.calls, 'call')}",
        blocks=tuple(blocks),
        view=WHOLE,
    )
