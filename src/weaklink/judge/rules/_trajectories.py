"""Trajectories of agents: whether they improved, which of them were rewarded, and what for."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.samples import Flags, Samples
from weaklink.base.evidence.series import Array, Series
from weaklink.base.finding import CannotTell
from weaklink.judge.rules._draws import FEWEST_ROWS, add_columns, average_by_draw
from weaklink.judge.rules._samples import LIKELY, SHARED, MeanShift, SampleSplit, split

# an outcome that stays below or above these cannot show whether trajectories improved
FLOOR, TOP = 0.05, 0.95

# as a share of the range of an outcome: where a gain of this size cannot be ruled out, nothing is reported
ROOM = 0.3

# the share by which the length of tasks may differ between early and late ones of one size
SAME_SIZE = 0.1

# so many tasks that occur early and late are enough to compare them one by one
ENOUGH_TASKS = 20

# A reward this far up from that of failures to that of successes counts as paid like a success
NEAR = 0.75

# the share of a success' reward, on a scale from 0 to 1, that all trajectories get where failures are paid as well
ABOVE_NOTHING = 0.5

# the axis of curves that are computed from samples
AXIS = "step of the samples"

# the column that `wrongly_paid` adds: 1 for failures that were rewarded
WRONG = "paid failures"

# columns with the true outcome of a trajectory, the best first; `success` may only be what was rewarded
TRUTHS = ("gold", "human_score", "state_reached")


@dataclass(frozen=True)
class OutcomeGain:
    """How the outcome changed between two parts; `never` where there is hardly a success in either."""

    name: str
    shift: MeanShift
    better: bool | None
    never: bool = False

    @property
    def told(self) -> str:
        """The change in words, for messages."""
        return f"{self.name} went from {self.shift.before:.2g} to {self.shift.after:.2g}"

    @property
    def declined(self) -> bool:
        """Whether it clearly fell."""
        return self.shift.z <= -LIKELY

    @property
    def at_top(self) -> bool:
        """Whether there was nothing left to gain."""
        return TOP <= self.shift.before <= 1.0 and self.shift.after >= TOP


def measure_gain(parts: SampleSplit, otherwise: str | None = None) -> OutcomeGain | None:
    """How the best measure of the outcome, or else another column, changed; `better` is None where uncertain."""
    name = parts.after.outcome or (otherwise if otherwise in parts.after else None)
    shift = None if name is None or name not in parts.before else measure_shift(parts, name)
    if name is None or shift is None:
        return None
    if shift.z >= LIKELY and shift.sizeable:
        return OutcomeGain(name, shift, True)
    whole = measure_reach(np.concatenate((parts.before[name], parts.after[name])))
    never = whole == 1.0 and max(shift.before, shift.after) < FLOOR
    top = whole == 1.0 and shift.before >= TOP
    uncertain = never or (not top and _may_have_risen(shift, whole))
    return OutcomeGain(name, shift, None if uncertain else False, never)


def _may_have_risen(shift: MeanShift, whole: float) -> bool:
    """Whether a gain that matters cannot be ruled out."""
    return shift.change + LIKELY * shift.error > ROOM * whole or (shift.z >= LIKELY / 2 and shift.sizeable)


def measure_shift(parts: SampleSplit, name: str) -> MeanShift | None:
    """How a column changed: task by task, or over all tasks where few occur both early and late."""
    paired = parts.shift(name)
    if paired is None or paired.draws >= ENOUGH_TASKS:
        return paired
    return replace(parts, baseline=True).shift(name)


def are_same_tasks(samples: Samples, parts: SampleSplit) -> bool:
    """Whether early and late tasks are comparable: also where late tasks occur in the first half of training."""
    if parts.alike or "prompt" not in samples or "step" not in samples:
        return parts.alike
    steps, prompts = samples["step"], samples.codes["prompt"]
    known = prompts[(steps <= np.nanmedian(steps)) & (prompts >= 0)]
    return bool(np.isin(parts.after.codes["prompt"], known).mean() >= SHARED)


def look_alike(parts: SampleSplit) -> bool:
    """Whether early and late tasks, though different ones, are of one size: harder ones mostly take more words."""
    sizes = parts.shift("prompt_length") if "prompt_length" in parts.before else None
    return sizes is not None and abs(sizes.z) < LIKELY and abs(sizes.change) <= SAME_SIZE * sizes.before


def defer_to_samples(series: Series) -> CannotTell | None:
    """The answer for a curve that is computed from samples: they hold more, such as which tasks are the same."""
    if series.provenance.axis != AXIS:
        return None
    return CannotTell((series.name,), "computed from the samples, which are judged directly")


def read_column(samples: Samples, name: str) -> Array:
    """A column with NaN for what is not finite; all NaN where the samples do not have it."""
    values = samples[name] if name in samples else np.full(len(samples), np.nan)
    return np.where(np.isfinite(values), values, np.nan)


def measure_reach(values: Array) -> float:
    """The range of an outcome: 1 where it lies between 0 and 1, else that of its middle 90 %."""
    known = values[np.isfinite(values)]
    if not len(known) or (known.min() >= 0.0 and known.max() <= 1.0):
        return 1.0
    low, high = np.quantile(known, (0.05, 0.95))
    return float(high - low) or 1.0


def mark_successes(values: Array) -> Flags:
    """Which outcomes are successes: at least 0.5 where all lie between 0 and 1, else above the middle."""
    known = values[np.isfinite(values)]
    if not len(known) or (known.min() >= 0.0 and known.max() <= 1.0):
        return np.asarray(values >= 0.5)
    return np.asarray(values > (known.min() + known.max()) / 2)


def mark_outcomes(samples: Samples, *, by_ends: bool = False) -> tuple[Flags, Flags]:
    """Which trajectories truly failed, and which truly succeeded; neither where that is not known.

    With `by_ends`, a trajectory whose last call failed failed, and one whose last call did not succeeded, where nothing
    else says so.

    Where no trajectory ever reaches the expected final state exactly, only those that changed nothing count as failed.
    Without an expected state, a trajectory that changed nothing failed where others in the same task changed something.
    """
    failed, succeeded = np.zeros(len(samples), bool), np.zeros(len(samples), bool)
    for name in TRUTHS:
        if name not in samples:
            continue
        values, unknown = samples[name], ~failed & ~succeeded
        right, known = mark_successes(values), np.isfinite(values) & unknown
        if name == "state_reached" and not right.any() and "state_changed" in samples:
            known &= samples["state_changed"] == 0
        failed |= known & ~right
        succeeded |= known & right
    if "state_changed" in samples and "task" in samples:
        unknown = ~failed & ~succeeded & np.isfinite(samples["state_changed"])
        failed |= unknown & (samples["state_changed"] == 0) & _find_writing(samples)
    if by_ends and "ended_failed" in samples:
        unknown = ~failed & ~succeeded & np.isfinite(samples["ended_failed"])
        failed, succeeded = (
            failed | (unknown & (samples["ended_failed"] == 1)),
            succeeded | (unknown & (samples["ended_failed"] == 0)),
        )
    return failed, succeeded


def _find_writing(samples: Samples) -> Flags:
    """Rows of tasks in which at least a third of the trajectories change the state."""
    changed = samples["state_changed"]
    known = np.isfinite(changed) & (samples.codes["task"] >= 0)
    _, codes = np.unique(samples.codes["task"], return_inverse=True)
    told = np.bincount(codes, known)
    share = np.bincount(codes, np.where(known, changed, 0.0)) / np.maximum(told, 1)
    return np.asarray(known & (share[codes] >= 1 / 3))


def mark_paid(samples: Samples, failed: Flags, succeeded: Flags) -> Array:
    """1 for trajectories that count as successes or are paid nearly as much, 0 for others, NaN where unknown."""
    counted = np.full(len(samples), np.nan)
    if "reward" in samples:
        reward = samples["reward"]
        known = reward[np.isfinite(reward)]
        top = _take_median(reward[succeeded], float(np.quantile(known, 0.95)))
        bottom = _take_median(reward[failed & (reward < top)], float(np.quantile(known, 0.05)))
        if known.min() >= ABOVE_NOTHING * top > 0.0 and top <= 1.0:
            bottom = 0.0  # nobody gets less than half of a success' reward, so none shows what a failure is worth
        enough = bottom + NEAR * (top - bottom) if top > bottom else top
        counted = np.where(np.isfinite(reward), (reward >= enough) & (top > bottom), counted)
    if "success" in samples:
        success = samples["success"]
        counted = np.where(np.isfinite(success), (success >= 0.5) | (counted == 1.0), counted)
    return counted


def _take_median(values: Array, otherwise: float) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) >= 5 else otherwise


@dataclass(frozen=True)
class PaidFailures:
    """Failures of some kind that were rewarded: their share of late trajectories, its error, and how it changed."""

    share: float
    error: float
    rows: int
    among: float
    others: float | None
    samples: Samples
    shift: MeanShift | None

    def over(self, limit: float) -> bool:
        """Whether the share is above the limit, beyond chance."""
        return self.share - LIKELY * self.error > limit

    def peculiar(self, excess: float) -> bool:
        """Whether marked failures are rewarded more often than others, or most failures are rewarded anyway."""
        return self.others is None or self.others >= 0.5 or self.among >= self.others + excess


def measure_wrongly_paid(samples: Samples, marked: Flags, *, by_ends: bool = False) -> PaidFailures | None:
    """How often marked trajectories that failed were rewarded; None where too few are known.

    `among` is the rewarded share of marked failures, `others` that of failures without the mark.
    """
    failed, succeeded = mark_outcomes(samples, by_ends=by_ends)
    counted = mark_paid(samples, failed, succeeded)
    known = np.isfinite(counted) & (failed | succeeded)
    if known.sum() < FEWEST_ROWS:
        return None
    wrong = np.where(np.isfinite(counted), failed & marked & (counted == 1.0), np.nan)
    rows = add_columns(samples, **{WRONG: wrong})
    parts = split(rows, WRONG)
    late = rows if parts is None else parts.after
    drawn = average_by_draw(late, WRONG)
    if drawn is None:
        return None
    with_mark, without = (counted[known & failed & mark] for mark in (marked, ~marked))
    return PaidFailures(
        share=drawn.mean,
        error=drawn.error,
        rows=int(np.nansum(late[WRONG])),
        among=float(with_mark.mean()) if len(with_mark) else 0.0,
        others=float(without.mean()) if len(without) >= 10 else None,
        samples=rows,
        shift=None if parts is None else measure_shift(parts, WRONG),
    )
