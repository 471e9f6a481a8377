"""Several runs on one document: a page for each, their curves laid over each other, seeds as mean and interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from weaklink.base.evidence.fleet import Fleet, Peer
from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import bootstrap_interval
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.judge.diagnosis.symptoms import Symptom
from weaklink.show import fleet
from weaklink.show.page.blocks import Block, Chart, Document, Line, Page, Prose, Row, Section, Table
from weaklink.show.page.curves import Budget, axis_label, proving
from weaklink.show.page.document import document
from weaklink.show.page.findings import chart_id
from weaklink.show.page.run import run_page
from weaklink.show.page.thinning import Axes, Thinned, condensed, thinned
from weaklink.show.text import several
from weaklink.verbs.diagnose import Result, failures
from weaklink.verbs.targets import Failure

KEPT_POINTS = 400
MOST_PAGES = 24
"""Runs beyond this many have a row in the table and no page of their own; broken ones come first."""

MOST_LINES, MOST_CHARTS = 24, 24
OVERLAID = 14_000
"""Points of all overlaid charts together."""

GRID = 48
FEWEST_SEEDS = 2
RESAMPLES = 400
STATES = {"broken": "broken", "healthy": "clean", "unclear": "unknown", fleet.UNREADABLE: "unknown"}


@dataclass(frozen=True, eq=False)
class Kept:
    """A run, condensed where there are several, and its diagnosis."""

    run: Run
    diagnosis: Diagnosis


@dataclass
class Gathered:
    """Runs as they come, kept small, until the document is made of all of them."""

    command: str = "diagnose"
    symptom: Symptom | None = None
    kept: list[Kept] = field(default_factory=list)
    results: list[Result] = field(default_factory=list)

    def add(self, run: Run, diagnosis: Diagnosis) -> None:
        """One more run that was judged."""
        if len(self.kept) == 1:
            self.kept[0] = Kept(condensed(self.kept[0].run, KEPT_POINTS), self.kept[0].diagnosis)
        self.kept.append(Kept(condensed(run, KEPT_POINTS) if self.kept else run, diagnosis))
        self.results.append(diagnosis)

    def fail(self, failure: Failure) -> None:
        """One that could not be read."""
        self.results.append(failure)

    def document(self, judged_together: Diagnosis | None = None, *, live: bool = False) -> Document:
        """Everything so far."""
        shown = sorted(self.kept, key=lambda one: one.diagnosis.verdict.value != "broken")[:MOST_PAGES]
        shown = [one for one in self.kept if one in shown]
        budget = Budget(pages=len(shown) + (len(self.results) > 1))
        pages = [self._page(one, place, budget) for place, one in enumerate(shown)]
        if len(self.results) < 2:
            return document(pages, live=live)
        axes = Axes()
        sections = together(self.results, [one.run for one in self.kept], judged_together, self.kept, axes)
        return document(pages, title=fleet.counted(self.results), together=sections, axes=axes.found, live=live)

    def _page(self, one: Kept, place: int, budget: Budget) -> Page:
        name = "run" if len(self.results) < 2 else f"run-{place + 1}-{chart_id(one.diagnosis.target)}"
        return run_page(one.run, one.diagnosis, id=name, command=self.command, budget=budget, symptom=self.symptom)


def together(
    results: Sequence[Result],
    runs: Sequence[Run],
    judged: Diagnosis | None,
    kept: Sequence[Kept],
    axes: Axes,
) -> list[Section]:
    """What several runs say together: the table of verdicts, what they show as a whole, and their curves."""
    folder, rows = fleet.rows(results)
    table = Table(
        title=fleet.counted(results),
        columns=fleet.HEAD,
        rows=tuple(Row(cells=row.cells, state=STATES.get(row.verdict, "")) for row in rows),
        note=f"in {folder}" if folder else "",
    )
    blocks: list[Block] = [table]
    unread = tuple(failure.message for failure in failures(results))
    if unread:
        blocks.append(Prose(title="Could not be read", paragraphs=unread))
    if judged is not None and judged.findings:
        said = tuple(f"{one.code} {one.name}: {one.message}" for one in judged.findings)
        blocks.append(Prose(title="The runs taken together", paragraphs=said))
    sections = [Section(id="runs", title="The runs", blocks=tuple(blocks))]
    names = _names(runs)
    seeds = _seeds(runs, axes)
    if seeds:
        note = "Runs that differ in nothing but their seed: the mean with its interval (95 %, by resampling the runs)."
        sections.append(Section(id="seeds", title="Mean over seeds", blocks=tuple(seeds), note=note))
    overlaid = _overlaid(runs, names, kept, axes)
    if overlaid:
        sections.append(Section(id="overlaid", title="Curves of all runs", blocks=tuple(overlaid)))
    return sections


def _names(runs: Sequence[Run]) -> list[str]:
    """Names that tell the runs apart."""
    names = [run.name or run.source for run in runs]
    return [name if names.count(name) == 1 else f"{name} ({place + 1})" for place, name in enumerate(names)]


def _shared(runs: Sequence[Run], kept: Sequence[Kept]) -> list[str]:
    """The metrics that at least two runs hold: measures of success, then what proves a finding, then the others."""
    held = [name for name in METRICS if sum(name in run for run in runs) > 1]
    proofs = {metric for one in kept for metric in proving(one.diagnosis)}
    rank = {name: place for place, name in enumerate(MEASURES)}
    return sorted(held, key=lambda name: (rank.get(name, len(rank)), name not in proofs))[:MOST_CHARTS]


def _overlaid(runs: Sequence[Run], names: Sequence[str], kept: Sequence[Kept], axes: Axes) -> list[Chart]:
    metrics = _shared(runs, kept)
    count = sum(min(sum(name in run for run in runs), MOST_LINES) for name in metrics)
    points = int(np.clip(OVERLAID / max(count, 1), 16, 240))
    charts = []
    for metric in metrics:
        lines: list[Line] = []
        for run, name in zip(runs, names, strict=True):
            if metric in run and len(lines) < MOST_LINES:
                series = run[metric]
                short = thinned(series, points)
                lines.append(axes.line(name, Thinned(short.steps, short.values), axis_label(series)))
        left = sum(metric in run for run in runs) - len(lines)
        more = f"; {several(left, 'more run')} not drawn" if left else ""
        meaning = METRICS[metric].meaning
        charts.append(
            Chart(
                id=f"all-{chart_id(metric)}",
                title=metric,
                lines=tuple(lines),
                note=f"{meaning}{more}",
                unit=METRICS[metric].unit,
                link=metric.partition(".")[0],
            )
        )
    return charts


def _seeds(runs: Sequence[Run], axes: Axes) -> list[Chart]:
    """For each metric one line a group of replicates: runs that share all but the seed."""
    peers = [(Peer.of(run), run) for run in runs]
    groups: list[tuple[str, list[Run]]] = []
    for group in Fleet(tuple(peer for peer, _ in peers)).groups:
        for number, replicates in enumerate(group.replicates()):
            members = [run for peer, run in peers if any(peer is one for one in replicates)]
            if len(members) >= FEWEST_SEEDS:
                title = group.title if not number else f"{group.title} ({number + 1})"
                groups.append((f"{title}, {several(len(members), 'seed')}", members))
    metrics = [name for name in MEASURES if any(all(name in run for run in members) for _, members in groups)]
    charts = []
    for metric in metrics:
        lines = tuple(line for title, members in groups if (line := _mean(metric, title, members, axes)) is not None)
        if lines:
            charts.append(
                Chart(
                    id=f"seeds-{chart_id(metric)}",
                    title=metric,
                    lines=lines,
                    note=METRICS[metric].meaning,
                    unit=METRICS[metric].unit,
                    link=metric.partition(".")[0],
                )
            )
    return charts


def _mean(metric: str, title: str, runs: Sequence[Run], axes: Axes) -> Line | None:
    """The mean over runs on a common grid with its interval; None where one lacks it or they never overlap."""
    held = [run[metric] for run in runs if metric in run]
    if len(held) < len(runs):
        return None
    start, end = max(series.first_step for series in held), min(series.last_step for series in held)
    if end <= start:
        return None
    grid = np.linspace(start, end, GRID)
    table = np.array([_on(grid, series) for series in held])
    rng = np.random.default_rng(0)
    intervals = [bootstrap_interval(column, rng, resamples=RESAMPLES) for column in table.T]
    lows, highs = np.array([one.low for one in intervals]), np.array([one.high for one in intervals])
    return axes.line(title, Thinned(grid, table.mean(axis=0), lows, highs), axis_label(held[0]))


def _on(grid: Array, series: Series) -> Array:
    """A series as the mean of what lies between two points of the grid, or drawn on from its neighbours."""
    edges = np.searchsorted(series.steps, grid, side="right")
    sums = np.concatenate(([0.0], np.cumsum(series.values)))
    before = np.concatenate(([0], edges[:-1]))
    counts = edges - before
    smooth = np.interp(grid, series.steps, series.values)
    means = (sums[edges] - sums[before]) / np.maximum(counts, 1)
    return np.where(counts > 1, means, smooth)
