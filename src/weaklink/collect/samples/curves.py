"""Samples by training step, as the curves that a log would hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.metrics import COMPONENT as COMPONENT_METRIC
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.samples import COMPONENT, Flags, Samples
from weaklink.base.evidence.series import Array, Provenance, Series
from weaklink.collect.samples.groups import count_distinct

MOST_BINS = 256
"""Where there are more steps than this, neighbours are taken together."""
AXIS = "step of the samples"
MEANS = {
    "length": "task.completion_length",
    "repetition": "task.repetition",
    "refusal": "task.refusal_rate",
    "truncated": "task.truncated_fraction",
    "difficulty": "task.difficulty",
    "cost": "task.cost",
    "turns": "task.turns",
    "tool_calls": "action.tool_calls",
    "reward": "reward.mean",
    "entropy": "exploration.entropy",
    "kl": "policy.kl_reference",
}
"""Columns and the metric that is their mean over a step."""
MIXED = frozenset(("length", "repetition", "refusal", "truncated", "cost", "turns", "tool_calls"))
"""Columns whose mean over all kinds of prompts tells nothing where their mix moves: samples are judged instead."""
MOVED = 0.2
"""The share of rows that are of other kinds in the last third of training than in the first."""
JUDGEMENTS = ("human_score", "gold", "answer_right")
SUCCESSES = ("success", "state_reached")
FEWEST_STEPS = 2
SMALLEST = 3
"""Rows of a group whose spread is counted: two of one prompt in one step agree too often by chance."""


def make_curves(samples: Samples, log: Run | None = None) -> Run:
    """The samples of each training step as a run; where there is a log, the log's own curves come first.

    Args:
        samples: with a column `step`, or `policy_version` where there is none; without either there are no curves.
        log: the log of the same training.
    """
    steps = _StepBins.of(samples)
    made = {} if steps is None else {series.name: series for series in _make_series(samples, steps) if len(series)}
    if log is None:
        return Run(name=samples.name, series=made, source=samples.source)
    added = [name for name in made if name not in log]
    notes = (*log.notes, f"from the samples: {', '.join(added)}") if added else log.notes
    return replace(log, series={**made, **{name: log[name] for name in log.series if name in log}}, notes=notes)


@dataclass(frozen=True)
class _StepBins:
    """Which step each row belongs to: `bins` counts from 0, and is -1 where a row does not say."""

    steps: Array
    bins: NDArray[np.intp]

    @classmethod
    def of(cls, samples: Samples) -> _StepBins | None:
        column = next((samples[name] for name in ("step", "policy_version") if name in samples), None)
        if column is None:
            return None
        known = np.isfinite(column)
        steps, places = np.unique(column[known], return_inverse=True)
        if len(steps) < FEWEST_STEPS:
            return None
        if len(steps) > MOST_BINS:
            owners = np.arange(len(steps)) * MOST_BINS // len(steps)
            places = owners[places]
            steps = steps[np.searchsorted(owners, np.arange(MOST_BINS), side="right") - 1]
        bins = np.full(len(column), -1, np.intp)
        bins[known] = places
        return cls(steps, bins)

    def sums(self, values: Array, rows: Flags) -> tuple[Array, Array]:
        """The sum over the rows of each step, and how many there are."""
        rows = rows & (self.bins >= 0) & np.isfinite(values)
        places = self.bins[rows]
        count = len(self.steps)
        totals = np.bincount(places, weights=values[rows], minlength=count)
        return totals.astype(np.float64), np.bincount(places, minlength=count).astype(np.float64)

    def mean(self, values: Array, rows: Flags | None = None) -> Array:
        """The mean of each step, not a number where it has no row."""
        totals, counts = self.sums(values, np.ones(len(values), bool) if rows is None else rows)
        return _divide(totals, counts)


def _make_series(samples: Samples, steps: _StepBins) -> Iterator[Series]:
    left_out = MIXED if _has_moved(samples, steps) else frozenset()
    for column, metric in MEANS.items():
        if column in samples and column not in left_out:
            yield _make_curve(steps, metric, column, steps.mean(samples[column]))
    for columns, metric in ((JUDGEMENTS, "reward.human_score"), (SUCCESSES, "task.success_rate")):
        found = next((column for column in columns if column in samples), None)
        if found:
            yield _make_curve(steps, metric, found, steps.mean(samples[found]))
    for part, values in samples.columns(COMPONENT):
        yield _make_curve(steps, COMPONENT_METRIC + part, COMPONENT + part, steps.mean(values))
    if "reward" in samples:
        yield _make_curve(steps, "reward.std", "reward", _measure_spread(steps, samples["reward"]))
    if "length" in samples:
        yield _make_curve(steps, "task.completion_length_max", "length", _find_highest(steps, samples["length"]))
    if "unsafe" in samples:
        asked = samples["unsafe_prompt"] == 1.0 if "unsafe_prompt" in samples else None
        yield _make_curve(steps, "task.unsafe_rate", "unsafe", steps.mean(samples["unsafe"], asked))
    if "failed_calls" in samples:
        yield _make_curve(steps, "action.tool_failures", "failed_calls", _measure_failures(samples, steps))
    if "group" in samples:
        yield from _make_group_series(samples, steps)


def _has_moved(samples: Samples, steps: _StepBins) -> bool:
    """Whether the kinds of prompts are mixed otherwise at the end of training than at its start."""
    if "kind" not in samples:
        return False
    third = len(steps.steps) / 3
    _, kinds = np.unique(samples.codes["kind"], return_inverse=True)
    count = int(kinds.max()) + 1
    first, last = (kinds[rows] for rows in ((steps.bins >= 0) & (steps.bins < third), steps.bins >= 2 * third))
    if not len(first) or not len(last):
        return False
    early, late = (np.bincount(part, minlength=count) / len(part) for part in (first, last))
    return float(np.abs(early - late).sum()) / 2 > MOVED


def _make_group_series(samples: Samples, steps: _StepBins) -> Iterator[Series]:
    """What can only be said of completions of one prompt."""
    group = samples.codes["group"]
    if "reward" in samples:
        rewards = samples["reward"]
        rows = (group >= 0) & np.isfinite(rewards) & (steps.bins >= 0)
        owners, bins = _number_groups(group[rows], steps.bins[rows])
        count = len(bins)
        sizes = np.bincount(owners, minlength=count)
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(low, owners, rewards[rows])
        np.maximum.at(high, owners, rewards[rows])
        centred = rewards[rows] - (np.bincount(owners, rewards[rows], count) / sizes)[owners]
        spread = np.sqrt(np.bincount(owners, centred**2, count) / np.maximum(sizes - 1, 1))
        several = sizes > 1
        flat = (high - low <= 1e-9 * np.maximum(np.abs(high), 1.0)).astype(np.float64)
        yield _make_curve(steps, "reward.group_std", "reward", _average_bins(bins, spread, several, len(steps.steps)))
        large = _average_bins(bins, flat, sizes >= SMALLEST, len(steps.steps))
        yield _make_curve(steps, "reward.zero_spread_fraction", "reward", large)
    said = next((name for name in ("answer", "text") if name in samples), None)
    if said is not None:
        codes = samples.codes[said]
        rows = (group >= 0) & (codes >= 0) & (steps.bins >= 0)
        owners, bins = _number_groups(group[rows], steps.bins[rows])
        sizes = np.bincount(owners, minlength=len(bins))
        distinct = count_distinct(owners, codes[rows], len(bins)) / sizes
        values = _average_bins(bins, distinct, sizes > 1, len(steps.steps))
        yield _make_curve(steps, "task.distinct_fraction", said, values)


def _number_groups(group: NDArray[np.int64], bins: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The groups counted from 0 for each row, and the step of each group."""
    _, first, owners = np.unique(group, return_index=True, return_inverse=True)
    return owners, bins[first]


def _average_bins(bins: NDArray[np.intp], values: Array, rows: Flags, count: int) -> Array:
    totals = np.bincount(bins[rows], weights=values[rows], minlength=count).astype(np.float64)
    return _divide(totals, np.bincount(bins[rows], minlength=count).astype(np.float64))


def _measure_failures(samples: Samples, steps: _StepBins) -> Array:
    """The share of calls that failed, among rows that say so of their calls."""
    known = np.isfinite(samples["failed_calls"])
    failed, _ = steps.sums(samples["failed_calls"], known)
    calls, _ = steps.sums(samples["tool_calls"], known)
    return _divide(failed, calls)


def _measure_spread(steps: _StepBins, values: Array) -> Array:
    centred = values - np.append(steps.mean(values), np.nan)[steps.bins]
    totals, counts = steps.sums(centred**2, np.ones(len(values), bool))
    return np.sqrt(_divide(totals, counts))


def _find_highest(steps: _StepBins, values: Array) -> Array:
    rows = (steps.bins >= 0) & np.isfinite(values)
    highest = np.full(len(steps.steps), -np.inf)
    np.maximum.at(highest, steps.bins[rows], values[rows])
    return np.where(np.isfinite(highest), highest, np.nan)


def _divide(totals: Array, counts: Array) -> Array:
    shares: Array = np.divide(totals, counts, out=np.full(len(totals), np.nan), where=counts > 0)
    return shares


def _make_curve(steps: _StepBins, metric: str, column: str, values: Array) -> Series:
    known = np.isfinite(values)
    came_from = Provenance(key=f"samples: {column}", axis=AXIS, aggregation="over the samples of a step")
    return Series.of(metric, steps.steps[known], values[known], provenance=came_from)
