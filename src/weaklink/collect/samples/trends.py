"""How samples change with the training step, and where what is paid parted from what is really good."""

from __future__ import annotations

import msgspec
import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Flags, Ints, Samples
from weaklink.base.evidence.series import Array
from weaklink.collect.samples.groups import count_distinct

MOST_BINS = 60
FEWEST_BINS = 5
"""A peak is looked for among at least this many bins."""

CLOCKS = ("step", "policy_version")
"""Columns that tell the time of training, the first that is there."""

MEANS = {
    "length": "length",
    "repetition": "repetition",
    "refusal": "refusal",
    "truncated": "cut off by the cap",
    "tool_calls": "tool calls",
    "turns": "turns",
    "unsafe": "unsafe",
}
"""Columns whose mean is followed, and their names on the page."""

MOST_COMPONENTS = 6


class SampleTrend(msgspec.Struct, frozen=True, kw_only=True):
    """A quantity by training step: its mean over the rows of each bin, from the first step of the bin on."""

    name: str
    steps: tuple[float, ...]
    values: tuple[float, ...]

    @property
    def start(self) -> float:
        """The mean over the first tenth."""
        return float(np.mean(self.values[: self._tenth]))

    @property
    def end(self) -> float:
        """The mean over the last tenth."""
        return float(np.mean(self.values[-self._tenth :]))

    @property
    def _tenth(self) -> int:
        return max(1, len(self.values) // 10)


class OutcomePeak(msgspec.Struct, frozen=True, kw_only=True):
    """Where the outcome was best, and what was paid there and at the end."""

    outcome: str
    step: float
    outcome_there: float
    outcome_at_end: float
    reward_there: float
    reward_at_end: float
    reward_peak_step: float


class _Bins(msgspec.Struct, frozen=True):
    """Rows in the order of training, and where each bin of them begins."""

    order: Ints
    starts: Ints
    steps: Array

    def means(self, column: Array) -> Array:
        """The mean in each bin, not a number where no row says."""
        values = column[self.order]
        known = np.isfinite(values)
        count = np.add.reduceat(known.astype(np.float64), self.starts)
        with np.errstate(invalid="ignore", divide="ignore"):
            result: Array = np.add.reduceat(np.where(known, values, 0.0), self.starts) / count
        return result

    def parts(self, codes: Ints) -> list[Ints]:
        """The codes of the rows of each bin."""
        return np.split(codes[self.order], self.starts[1:])


def compute_trends(samples: Samples) -> tuple[SampleTrend, ...]:
    """The course of what is paid, of what is good, and of how completions look; empty where no row has a step."""
    bins = _make_bins(samples)
    if bins is None:
        return ()
    courses: dict[str, Array] = {}
    for name in ("reward", samples.outcome):
        if name is not None and name in samples:
            courses[name] = bins.means(samples[name])
    for name, column in list(samples.columns(COMPONENT))[:MOST_COMPONENTS]:
        courses[COMPONENT + name] = bins.means(column)
    courses |= {told: bins.means(samples[name]) for name, told in MEANS.items() if name in samples}
    courses |= _measure_likeness(samples, bins)
    found = (_make_trend(name, bins.steps, values) for name, values in courses.items())
    return tuple(trend for trend in found if trend is not None)


def _measure_likeness(samples: Samples, bins: _Bins) -> dict[str, Array]:
    """How much alike completions are: the commonest template and opening, and different answers."""
    courses = {}
    for name, told in (("template", "commonest template"), ("opening", "commonest opening")):
        if name in samples:
            courses[told] = np.array([_measure_commonest(part) for part in bins.parts(samples.codes[name])])
    for name, told in (("answer", "different answers"), ("text", "different texts")):
        if name in samples:
            courses[told] = _measure_distinct(samples, name, bins)
    return courses


def _measure_commonest(codes: Ints) -> float:
    known = codes[codes >= 0]
    if not len(known):
        return np.nan
    return float(np.unique(known, return_counts=True)[1].max() / len(known))


def _measure_distinct(samples: Samples, name: str, bins: _Bins) -> Array:
    """Different ones over all, counted within each group where rows have one."""
    group = samples.codes.get("group", np.zeros(len(samples), np.int64))
    parts = zip(bins.parts(samples.codes[name]), bins.parts(group), strict=True)
    return np.array([_compute_distinct_share(codes, owners) for codes, owners in parts])


def _compute_distinct_share(codes: Ints, owners: Ints) -> float:
    known = codes >= 0
    if not known.any():
        return np.nan
    _, owner = np.unique(owners[known], return_inverse=True)
    return float(count_distinct(owner, codes[known], 0).sum() / known.sum())


def _make_bins(samples: Samples) -> _Bins | None:
    """One bin a step, or bins of about equal size where there are too many steps; None below two steps."""
    clock = next((name for name in CLOCKS if name in samples), None)
    if clock is None:
        return None
    time = samples[clock]
    order = np.argsort(time, kind="stable")
    order = order[: int(np.isfinite(time).sum())]
    time = time[order]
    starts = np.flatnonzero(np.r_[True, np.diff(time) > 0])
    if len(starts) < 2:
        return None
    if len(starts) > MOST_BINS:
        wanted = np.linspace(0, len(time), MOST_BINS, endpoint=False)
        starts = np.unique(starts[np.searchsorted(starts, wanted, side="right") - 1])
    return _Bins(order, starts, time[starts])


def _make_trend(name: str, steps: Array, values: Array) -> SampleTrend | None:
    known: Flags = np.isfinite(values)
    if known.sum() < 2:
        return None
    return SampleTrend(name=name, steps=tuple(steps[known].tolist()), values=tuple(values[known].tolist()))


def find_peak(samples: Samples) -> OutcomePeak | None:
    """Where the outcome was best; None where reward and outcome are not followed over enough steps."""
    bins = None if samples.outcome is None or "reward" not in samples else _make_bins(samples)
    if bins is None or samples.outcome is None:
        return None
    paid, good = bins.means(samples["reward"]), bins.means(samples[samples.outcome])
    known = np.isfinite(paid) & np.isfinite(good)
    if known.sum() < FEWEST_BINS:
        return None
    steps, paid, good = bins.steps[known], _smooth(paid[known]), _smooth(good[known])
    best = int(np.argmax(good))
    return OutcomePeak(
        outcome=samples.outcome,
        step=float(steps[best]),
        outcome_there=float(good[best]),
        outcome_at_end=float(good[-1]),
        reward_there=float(paid[best]),
        reward_at_end=float(paid[-1]),
        reward_peak_step=float(steps[int(np.argmax(paid))]),
    )


def _smooth(values: Array) -> Array:
    """Each value with its neighbours, so that no lucky bin is called a peak."""
    if len(values) < 3 * 3:
        return values
    padded = np.r_[values[0], values, values[-1]]
    return np.convolve(padded, np.full(3, 1 / 3), mode="valid")
