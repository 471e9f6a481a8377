"""Curves of several runs laid over each other, and seeds as mean and interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.fleet import Fleet, PeerRun
from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import bootstrap_interval
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show.document import HTML, Chart, ChartLine, Section
from weaklink.show.subjects.curves import find_proofs, make_axis_label
from weaklink.show.subjects.findings import make_chart_id
from weaklink.show.text import count_noun
from weaklink.show.thinning import PageAxes, ThinnedSeries, thin_series

MOST_LINES, MOST_CHARTS = 24, 24
OVERLAID = 14_000
"""Points of all overlaid charts together."""

GRID = 48
FEWEST_SEEDS = 2
RESAMPLES = 400
SEEDS = "Runs that differ in nothing but their seed: the mean with its interval (95 %, by resampling the runs)."


def draw_together(runs: Sequence[Run], diagnoses: Sequence[Diagnosis], axes: PageAxes) -> list[Section]:
    """The mean over seeds, and the curves of all runs."""
    seeds, overlaid = _draw_seeds(runs, axes), _draw_overlaid(runs, diagnoses, axes)
    sections = (
        Section(id="seeds", title="Mean over seeds", blocks=tuple(seeds), note=SEEDS, where=(HTML,)),
        Section(id="overlaid", title="Curves of all runs", blocks=tuple(overlaid), where=(HTML,)),
    )
    return [section for section in sections if section.blocks]


def _list_names(runs: Sequence[Run]) -> list[str]:
    """Names that tell the runs apart."""
    names = [run.name or run.source for run in runs]
    return [name if names.count(name) == 1 else f"{name} ({place + 1})" for place, name in enumerate(names)]


def _list_shared(runs: Sequence[Run], diagnoses: Sequence[Diagnosis]) -> list[str]:
    """The metrics that at least two runs hold: measures of success, then what proves a finding, then the others."""
    held = [name for name in METRICS if sum(name in run for run in runs) > 1]
    proofs = {metric for one in diagnoses for metric in find_proofs(one)}
    rank = {name: place for place, name in enumerate(MEASURES)}
    return sorted(held, key=lambda name: (rank.get(name, len(rank)), name not in proofs))[:MOST_CHARTS]


def _draw_overlaid(runs: Sequence[Run], diagnoses: Sequence[Diagnosis], axes: PageAxes) -> list[Chart]:
    metrics, names = _list_shared(runs, diagnoses), _list_names(runs)
    count = sum(min(sum(name in run for run in runs), MOST_LINES) for name in metrics)
    points = int(np.clip(OVERLAID / max(count, 1), 16, 240))
    charts = []
    for metric in metrics:
        lines: list[ChartLine] = []
        for run, name in zip(runs, names, strict=True):
            if metric in run and len(lines) < MOST_LINES:
                series = run[metric]
                short = thin_series(series, points)
                lines.append(axes.line(name, ThinnedSeries(short.steps, short.values), make_axis_label(series)))
        left = sum(metric in run for run in runs) - len(lines)
        more = f"; {count_noun(left, 'more run')} not drawn" if left else ""
        charts.append(_draw_chart("all", metric, lines, more))
    return charts


def _draw_chart(group: str, metric: str, lines: Sequence[ChartLine], more: str = "") -> Chart:
    known = METRICS[metric]
    return Chart(
        id=f"{group}-{make_chart_id(metric)}",
        title=metric,
        lines=tuple(lines),
        note=f"{known.meaning}{more}",
        unit=known.unit,
        link=metric.partition(".")[0],
    )


def _draw_seeds(runs: Sequence[Run], axes: PageAxes) -> list[Chart]:
    """For each metric one line a group of replicates: runs that share all but the seed."""
    peers = [(PeerRun.of(run), run) for run in runs]
    groups: list[tuple[str, list[Run]]] = []
    for group in Fleet(tuple(peer for peer, _ in peers)).groups:
        for number, replicates in enumerate(group.replicates()):
            members = [run for peer, run in peers if any(peer is one for one in replicates)]
            if len(members) >= FEWEST_SEEDS:
                title = group.title if not number else f"{group.title} ({number + 1})"
                groups.append((f"{title}, {count_noun(len(members), 'seed')}", members))
    metrics = [name for name in MEASURES if any(all(name in run for run in members) for _, members in groups)]
    drawn = {
        metric: [line for title, members in groups if (line := _draw_mean(metric, title, members, axes)) is not None]
        for metric in metrics
    }
    return [_draw_chart("seeds", metric, lines) for metric, lines in drawn.items() if lines]


def _draw_mean(metric: str, title: str, runs: Sequence[Run], axes: PageAxes) -> ChartLine | None:
    """The mean over runs on a common grid with its interval; None where one lacks it or they never overlap."""
    held = [run[metric] for run in runs if metric in run]
    if len(held) < len(runs):
        return None
    start, end = max(series.first_step for series in held), min(series.last_step for series in held)
    if end <= start:
        return None
    grid = np.linspace(start, end, GRID)
    table = np.array([_resample(grid, series) for series in held])
    rng = np.random.default_rng(0)
    intervals = [bootstrap_interval(column, rng, resamples=RESAMPLES) for column in table.T]
    lows, highs = np.array([one.low for one in intervals]), np.array([one.high for one in intervals])
    return axes.line(title, ThinnedSeries(grid, table.mean(axis=0), lows, highs), make_axis_label(held[0]))


def _resample(grid: Array, series: Series) -> Array:
    """A series as the mean of what lies between two points of the grid, or drawn on from its neighbours."""
    edges = np.searchsorted(series.steps, grid, side="right")
    sums = np.concatenate(([0.0], np.cumsum(series.values)))
    before = np.concatenate(([0], edges[:-1]))
    counts = edges - before
    smooth = np.interp(grid, series.steps, series.values)
    means = (sums[edges] - sums[before]) / np.maximum(counts, 1)
    return np.where(counts > 1, means, smooth)
