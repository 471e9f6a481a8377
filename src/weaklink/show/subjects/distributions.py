"""How values lay over time: fans of quantiles, what was counted, and one episode step by step."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.evidence.snapshots import EpisodeTrace, MetricHistogram
from weaklink.show.document import HTML, Block, Chart, ChartLine, Histogram, HistogramBin, Section
from weaklink.show.subjects.curves import make_axis_label
from weaklink.show.text import count_noun, format_step
from weaklink.show.thinning import PageAxes, ThinnedSeries, find_part_edges, thin_series

FANS = (
    ("reward.", "Rewards"),
    ("task.episode_length_", "Episode lengths"),
    ("returns.target_", "Value targets"),
    ("returns.advantage_", "Advantages"),
    ("value.", "Values"),
)
"""Prefix of the quantiles in the vocabulary, and what they are of."""

LOW, MIDDLE, HIGH = "q05", "median", "q95"
COUNTED = {"reward": "Rewards", "value": "Values", "returns.target": "Value targets", "returns.advantage": "Advantages"}
EPISODE = "step of the episode"


def draw_distributions(run: Run, axes: PageAxes, points: int) -> list[Section]:
    """The section; nothing where nothing was logged of distributions."""
    blocks: list[Block] = [*_draw_fans(run, axes, points), *_draw_values_and_targets(run, axes, points)]
    if run.snapshots is not None:
        for metric, kept in run.snapshots.distributions.items():
            blocks.append(_draw_histogram(COUNTED.get(metric, metric), kept.all[-1]))
        blocks += _draw_traces(run.snapshots.traces.all, axes)
    section = Section(
        id="distributions",
        title="Distributions over time",
        note="The band of a fan reaches from the 5 % to the 95 % quantile; the line is the median.",
        blocks=tuple(blocks),
        closed=True,
        where=(HTML,),
    )
    return [section] if blocks else []


def _draw_fans(run: Run, axes: PageAxes, points: int) -> Iterable[Chart]:
    for prefix, title in FANS:
        low, middle, high = (run.get(prefix + name) for name in (LOW, MIDDLE, HIGH))
        if low is None or middle is None or high is None:
            continue
        shared = _join_quantiles(low, middle, high, points)
        if shared is None:
            continue
        lines = [axes.line(title.lower(), shared, make_axis_label(middle))]
        for extreme in ("min", "max"):
            series = run.get(prefix + extreme)
            if series is not None and len(series) == len(middle):
                short = thin_series(series, points)
                edge = short.lows if extreme == "min" else short.highs
                flat = ThinnedSeries(short.steps, short.values if edge is None else edge)
                lines.append(axes.line(extreme, flat, make_axis_label(series), dashed=True))
        unit = METRICS[prefix + MIDDLE].unit
        yield Chart(
            id=f"fan-{prefix.rstrip('._').replace('.', '-').replace('_', '-')}",
            title=f"{title}: median, 5 % to 95 %, extremes dashed",
            lines=tuple(lines),
            unit=unit,
            link=prefix.partition(".")[0],
        )


def _join_quantiles(low: Series, middle: Series, high: Series, points: int) -> ThinnedSeries | None:
    """The three quantiles as one line with its band, where they were logged at the same steps."""
    if not (np.array_equal(low.steps, middle.steps) and np.array_equal(high.steps, middle.steps)):
        return None
    parts = min(points, len(middle))
    edges, sizes = find_part_edges(len(middle), parts)
    weights = np.repeat(sizes, sizes)
    lows, values, highs = (np.add.reduceat(series.values / weights, edges) for series in (low, middle, high))
    return ThinnedSeries(middle.steps[np.append(edges[1:], len(middle)) - 1], values, lows, highs)


def _draw_values_and_targets(run: Run, axes: PageAxes, points: int) -> Iterable[Chart]:
    """What was promised beside what came: mean values and mean targets on one chart."""
    value, target = run.get("value.mean", "value.q_mean"), run.get("returns.target_mean")
    if value is None or target is None or make_axis_label(value) != make_axis_label(target):
        return
    lines = (
        axes.line(value.name, thin_series(value, points), make_axis_label(value)),
        axes.line(target.name, thin_series(target, points), make_axis_label(target), dashed=True),
    )
    yield Chart(
        id="values-beside-targets",
        title="Mean values beside mean value targets",
        lines=lines,
        note="A critic that follows its targets keeps close to the dashed line",
        unit="reward",
        link="value",
    )


def _draw_histogram(title: str, counted: MetricHistogram) -> Histogram:
    bins = tuple(
        HistogramBin(low=low, high=high, count=count)
        for low, high, count in zip(counted.edges, counted.edges[1:], counted.counts, strict=False)
    )
    return Histogram(title=title, bins=bins, note=f"{sum(counted.counts):,} values at step {format_step(counted.step)}")


def _draw_traces(traces: list[EpisodeTrace], axes: PageAxes) -> Iterable[Chart]:
    """The last episode that was traced, with an early one behind it to compare with."""
    if not traces:
        return
    early, late = traces[0], traces[-1]
    shown = [(late, f"step {format_step(late.step)}", False)]
    if early.step < late.step:
        shown.append((early, f"step {format_step(early.step)}", True))
    for part, title in (("values", "Value trace"), ("rewards", "Rewards of the same episode")):
        yield Chart(
            id=f"trace-{part}",
            title=f"{title}: what each state was thought to be worth" if part == "values" else title,
            lines=tuple(_draw_trace(trace, part, f"{part} at {told}", axes, dashed=old) for trace, told, old in shown),
            note=f"the last whole episode of the recording, {count_noun(late.length or len(late.values), 'step')} long",
            unit="reward",
            link="value" if part == "values" else "reward",
        )


def _draw_trace(trace: EpisodeTrace, part: str, name: str, axes: PageAxes, *, dashed: bool) -> ChartLine:
    values = np.asarray(getattr(trace, part), dtype=float)
    places = np.arange(trace.first, trace.first + len(values), dtype=float)
    return axes.line(name, ThinnedSeries(places, values), EPISODE, dashed=dashed)
