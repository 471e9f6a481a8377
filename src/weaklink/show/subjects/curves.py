"""The curves of a run as charts, in the order of the loop; those that prove a finding have more points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import msgspec
import numpy as np

from weaklink.base.evidence.metrics import METRICS
from weaklink.base.evidence.performance import MEASURES
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.finding import Finding
from weaklink.base.loop import Link
from weaklink.base.patterns import compile_late
from weaklink.base.stats import quantile
from weaklink.judge.diagnosis.diagnosis import Diagnosis
from weaklink.show import wording
from weaklink.show.document import Chart, ChartBand, ChartLimit, ChartMark
from weaklink.show.subjects.findings import make_chart_id
from weaklink.show.text import count_noun, format_number, format_step
from weaklink.show.thinning import PageAxes, find_breaks, thin_with_gaps

MOST_VALUES = 84_000
"""Numbers on all charts of a document together: about 450 kB as base64."""

MOST_POINTS, FEWEST_POINTS = 720, 32
MOST_OF_OTHERS = 360
MOST_CHARTS = 400
FEW_PAGES = 8
PER_POINT = 3
"""A point that stands for several takes three numbers: mean, lowest and highest."""

WIDE = 1000.0
"""Positive values that reach over so many times their smallest are drawn on a logarithmic axis."""

FLAT = 1e-6
"""A curve that moves by less than this share of its size is constant up to the precision of the 32-bit floats it was
logged in."""

_ORDER = {link.value: link.order for link in Link}
_PLACE = {name: place for place, name in enumerate((*MEASURES, *METRICS))}
_RANGE = compile_late(r"(?:between )?(-?\d[\d.e-]*) (?:to|and) (-?\d[\d.e-]*)(?:,.*)?")
_END = compile_late(r"(above|below) (-?\d[\d.e-]*)")


class PointBudget(msgspec.Struct):
    """How many points each chart may have, so that a document stays small however much is on it."""

    pages: int = 1

    @property
    def brief(self) -> bool:
        """Whether there are so many pages that what each would repeat is left out."""
        return self.pages > FEW_PAGES

    def points(self, charts: int, proving: int) -> tuple[int, int]:
        """Those of a chart that proves something and of any other, on a page with so many of each."""
        whole = MOST_VALUES / PER_POINT / self.pages
        proof = int(np.clip(whole / 2 / max(proving, 1), FEWEST_POINTS, MOST_POINTS))
        rest = (whole - proof * proving) / max(charts - proving, 1)
        return proof, int(np.clip(rest, FEWEST_POINTS, min(MOST_OF_OTHERS, proof)))


class RunCurves(msgspec.Struct):
    """The charts of one run; `left_out` counts the series that are not among them."""

    known: tuple[Chart, ...] = ()
    unknown: tuple[Chart, ...] = ()
    axes: PageAxes = msgspec.field(default_factory=PageAxes)
    left_out: int = 0
    points: int = MOST_OF_OTHERS

    @property
    def names(self) -> set[str]:
        """The names of all charts."""
        return {chart.id for chart in (*self.known, *self.unknown)}


def draw_run(
    run: Run, diagnosis: Diagnosis, budget: PointBudget | None = None, *, proving_alone: bool = False
) -> RunCurves:
    """Charts of everything that was logged, the vocabulary first and by link, then keys that nobody knows.

    Args:
        run: what was logged.
        diagnosis: what is wrong with it.
        budget: how many pages share the document.
        proving_alone: draws the evidence of findings and nothing else.
    """
    proofs = find_proofs(diagnosis)
    known = sorted(_list_drawable(run.series), key=lambda series: _rank_series(series.name))
    unknown = sorted(_list_drawable(run.unknown), key=lambda series: series.name not in proofs)
    if proving_alone:
        known, unknown = ([series for series in part if series.name in proofs] for part in (known, unknown))
    left_out = max(len(known) + len(unknown) - MOST_CHARTS, 0)
    known = known[:MOST_CHARTS]
    unknown = unknown[: MOST_CHARTS - len(known)]
    prove = sum(series.name in proofs for series in (*known, *unknown))
    most, fewer = (budget or PointBudget()).points(len(known) + len(unknown), prove)
    made = RunCurves(left_out=left_out, points=fewer)
    draw = _CurveDrawing(run, diagnosis, proofs, made.axes, knows=bool(known))
    made.known = tuple(draw.chart(series, most if series.name in proofs else fewer) for series in known)
    made.unknown = tuple(draw.chart(series, most if series.name in proofs else fewer) for series in unknown)
    return made


def find_proofs(diagnosis: Diagnosis) -> dict[str, list[Finding]]:
    """The findings that each metric is evidence of, the first break's metrics first."""
    first = wording.find_first_finding(diagnosis)
    found: dict[str, list[Finding]] = {}
    for finding in sorted(diagnosis.findings, key=lambda one: one is not first):
        for evidence in finding.evidence:
            if finding not in found.setdefault(evidence.metric, []):
                found[evidence.metric].append(finding)
    return found


def find_healthy_band(metric: str) -> ChartBand | None:
    """The healthy range of a metric, where the vocabulary gives it in numbers."""
    told = METRICS[metric].healthy if metric in METRICS else ""
    both, one = _RANGE.fullmatch(told), _END.fullmatch(told)
    if both:
        return ChartBand(low=float(both.group(1)), high=float(both.group(2)), label=f"healthy: {told}")
    if one:
        end = float(one.group(2))
        above = one.group(1) == "above"
        return ChartBand(low=end if above else None, high=None if above else end, label=f"healthy: {told}")
    return None


def describe_lost(series: Series) -> str:
    """What is said of points that are no finite numbers."""
    gone = series.nonfinite
    if gone is None:
        return ""
    since = (
        f", from step {format_step(gone.since)} to the end"
        if gone.tail
        else f", first at step {format_step(gone.first_step)}"
    )
    verb = "is" if gone.count == 1 else "are"
    return f"{gone.count:,} of {count_noun(series.count, 'point')} {verb} {gone.word}{since}."


def needs_log_scale(values: np.ndarray) -> bool:
    """Whether values are best told apart by their sizes."""
    if len(values) < 2 or values.min() <= 0:
        return False
    low, high = quantile(values, 0.02), quantile(values, 0.98)
    return bool(high > WIDE * low)


def is_flat(series: Series) -> bool:
    """Whether nothing ever moved."""
    if not len(series):
        return False
    low, high = float(series.lows.min()), float(series.highs.max())
    return high - low <= FLAT * max(abs(low), abs(high))


def make_axis_label(series: Series) -> str:
    """What the steps of a series count."""
    return (series.provenance.axis or "step").replace("_", " ").replace("env steps", "environment steps")


def _list_drawable(series: Mapping[str, Series]) -> Iterable[Series]:
    return (one for one in series.values() if len(one) or one.nonfinite)


def _rank_series(name: str) -> tuple[int, int, str]:
    return _ORDER.get(name.partition(".")[0], len(_ORDER)), _PLACE.get(name, len(_PLACE)), name


class _CurveDrawing:
    """What the charts of one run have in common."""

    def __init__(
        self, run: Run, diagnosis: Diagnosis, proofs: Mapping[str, list[Finding]], axes: PageAxes, *, knows: bool
    ) -> None:
        self._run = run
        self._knows = knows
        self._diagnosis = diagnosis
        self._proofs = proofs
        self._axes = axes
        self._first = wording.find_first_finding(diagnosis)
        self._breaks = wording.list_breaks(diagnosis)
        self._first_axes = {
            make_axis_label(run.series[one.metric])
            for one in (self._first.evidence if self._first else ())
            if one.metric in run.series
        }

    def chart(self, series: Series, points: int) -> Chart:
        """The chart of one series."""
        label, proved = make_axis_label(series), self._proofs.get(series.name, [])
        link = series.name.partition(".")[0] if series.name in self._run.series else ""
        key = wording.find_own_key(series.name, self._run)
        return Chart(
            id=make_chart_id(series.name),
            title=f"{series.name} ({key})" if key else series.name,
            lines=(self._axes.line(series.name, thin_with_gaps(series, points, self._run.gaps), label),),
            note=self._note(series),
            unit=METRICS[series.name].unit if series.name in METRICS else "",
            link=link if link in _ORDER else "",
            codes=tuple(dict.fromkeys(finding.code for finding in proved)),
            proves=any(finding in self._breaks for finding in proved),
            minor=not proved and self._is_minor(series),
            logarithmic=needs_log_scale(series.values),
            marks=self._marks(proved, label),
            limits=find_limits(series.name, proved),
            band=find_healthy_band(series.name),
        )

    def _note(self, series: Series) -> str:
        meaning = METRICS[series.name].meaning if series.name in METRICS else ""
        how = series.provenance.aggregation
        left_out = len(find_breaks(series, self._run.gaps))
        told = f"Not measured in {count_noun(left_out, 'interval')}" if left_out else ""
        parts = (f"{meaning}{f' ({how})' if how else ''}", told, describe_lost(series))
        return ". ".join(part.rstrip(".") for part in parts if part)

    def _is_minor(self, series: Series) -> bool:
        """Whether a small curve will do: what never moved, and what the vocabulary does not ask to be logged.

        Of a log in which nothing is known all curves are as good as each other.
        """
        if series.name in MEASURES or series.nonfinite:
            return False
        asked_for = METRICS[series.name].how if series.name in METRICS else not self._knows
        return not asked_for or is_flat(series)

    def _marks(self, proved: list[Finding], label: str) -> tuple[ChartMark, ...]:
        """Where the findings that it proves begin, and where the first break does."""
        shown = list(proved)
        if self._first is not None and self._first not in shown and label in self._first_axes:
            shown.append(self._first)
        return mark_onsets(shown, self._diagnosis)


def mark_onsets(findings: Iterable[Finding], diagnosis: Diagnosis) -> tuple[ChartMark, ...]:
    """Where findings begin; nothing where that is open over most of the run."""
    return tuple(
        ChartMark(at=finding.onset, label=wording.format_title(finding), code=finding.code, within=finding.onset_within)
        for finding in findings
        if finding.onset is not None and not wording.has_no_onset(finding, diagnosis)
    )


def find_limits(metric: str, proved: Iterable[Finding]) -> tuple[ChartLimit, ...]:
    """The limits that findings name for a metric, each once with all that name it."""
    named: dict[float, list[str]] = {}
    for finding in proved:
        for one in finding.evidence:
            if one.metric == metric and one.limit is not None and np.isfinite(one.limit):
                codes = named.setdefault(float(one.limit), [])
                codes += [finding.code] if finding.code not in codes else []
    return tuple(
        ChartLimit(at=at, label=f"limit {format_number(at)} ({', '.join(codes)})") for at, codes in named.items()
    )
