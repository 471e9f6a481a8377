"""How samples changed during training: early against late, or against a baseline, beyond chance.

Completions of one prompt are correlated, so the number of draws counts and not that of rows: every mean is a mean over
draws, and every standard error comes from how draws differ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from weaklink.base.evidence.samples import COMPONENT, Flags, Ints, Samples
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._course import FORM, NOT_PAID, RIGHT
from weaklink.judge.rules._draws import (
    FEWEST_DRAWS,
    FEWEST_ROWS,
    Draws,
    average_by_draw,
    find_steps,
    hash_draws,
    select_complete,
)

# standard errors that raise an alarm (chance of 6 in 100,000), and that count as evidence against one (1 in 20)
SURE, LIKELY = 4.0, 2.0

# the start is the first tenth of training and the end the last fifth; where draws are too few, up to a third
EARLY, LATE, FURTHEST = 0.1, 0.2, 1 / 3

# draws of the start, and of the end, that tell a change by one standard deviation from chance (error 0.32, `SURE`)
WISHED_DRAWS = 20

# the columns that measure success, the most reliable first
OUTCOMES = ("gold", "human_score", "state_reached", "success", "answer_right")

# A rise that may be chance counts against an alarm where it is this large, in standard deviations of rows
MAYBE = 0.2

# the share of late prompts that must also occur early for a comparison prompt by prompt
SHARED = 0.5

# fewer prompts are treated as fixed; more are treated as a sample of prompts
FEW_PROMPTS = 20

# parts whose difficulties overlap less than this cannot be compared
LIKE_ENOUGH = 0.3


@dataclass(frozen=True, slots=True)
class MeanShift:
    """How a mean changed: before, after, the standard error, the number of draws, the standard deviation of rows."""

    before: float
    after: float
    error: float
    draws: int
    deviation: float

    @property
    def change(self) -> float:
        """By how much it changed."""
        return self.after - self.before

    @property
    def z(self) -> float:
        """The change in standard errors, corrected for few draws (t to normal)."""
        if not self.change:
            return 0.0
        return convert_to_z(self.change / self.error if self.error else np.inf * self.change, self.draws)

    @property
    def rose(self) -> bool:
        """It is higher, beyond chance."""
        return self.z >= SURE

    @property
    def fell(self) -> bool:
        """It is lower, beyond chance."""
        return self.z <= -SURE

    @property
    def sizeable(self) -> bool:
        """Whether the change matters: a twentieth of the old mean, or of the standard deviation of rows."""
        return abs(self.change) >= 0.05 * max(abs(self.before), self.deviation)


def convert_to_z(ratio: float, draws: int) -> float:
    """The z value that corresponds to a t value with so many draws (Wallace 1959)."""
    freedom = max(draws - 2, 1)
    if not np.isfinite(ratio):
        return ratio
    scale = (8 * freedom + 1) / (8 * freedom + 3)
    return float(np.sign(ratio) * scale * np.sqrt(freedom * np.log1p(ratio**2 / freedom)))


@dataclass(frozen=True, eq=False)
class SampleSplit:
    """Two parts of the samples to compare: a baseline or the start of training, and its end."""

    before: Samples
    after: Samples
    where: str
    baseline: bool = False

    def shift(self, name: str) -> MeanShift | None:
        """How a column changed, at equal prompts, difficulties or kinds as far as known; None where too few rows."""
        first, second = average_by_draw(self.before, name), average_by_draw(self.after, name)
        if first is None or second is None:
            return None
        if not self.baseline and (paired := _compare_prompts(first, second)) is not None:
            return paired
        if first.difficulties is not None and second.difficulties is not None:
            return _compare_levelled(first, second)
        if first.kinds is not None and second.kinds is not None:
            return _compare_strata(first, second, [(first.kinds, first.means), (second.kinds, second.means)])
        return _compare_independent(first, second)

    @cached_property
    def measures(self) -> dict[str, MeanShift]:
        """How every measure of success changed."""
        names = [*OUTCOMES, *(f"{COMPONENT}{part}" for part, _ in find_component_columns(self.after, right=True))]
        shifts = ((name, self.shift(name)) for name in names if name in self.before and name in self.after)
        return {name: shift for name, shift in shifts if shift is not None}

    @property
    def better(self) -> bool | None:
        """Whether any measure of success rose; None where none is known or one may have risen."""
        measures = self.measures.values()
        if any(shift.z >= LIKELY and shift.sizeable for shift in measures):
            return True
        maybe = any(shift.z >= LIKELY / 2 and shift.change >= MAYBE * shift.deviation for shift in measures)
        return None if not measures or maybe else False

    @cached_property
    def alike(self) -> bool:
        """Whether both parts have comparable prompts: a baseline, the same prompts, or known difficulties."""
        if self.baseline or "difficulty" in self.after:
            return True
        if "prompt" not in self.after or "prompt" not in self.before:
            return False
        return bool(np.isin(self.after.codes["prompt"], self.before.codes["prompt"]).mean() >= SHARED)

    @property
    def worst(self) -> tuple[str, MeanShift] | None:
        """The measure of success that fell most clearly, if any."""
        fallen = [(name, shift) for name, shift in self.measures.items() if shift.z <= -LIKELY and shift.sizeable]
        return min(fallen, key=lambda each: each[1].z) if fallen else None


def _compare_independent(first: Draws, second: Draws) -> MeanShift:
    """Two independent parts. The larger of two errors counts, since a part may be without scatter by chance."""
    counts = len(first.means), len(second.means)
    pooled = np.concatenate((first.means - first.mean, second.means - second.mean)).std()
    error = max(float(np.hypot(first.error, second.error)), float(pooled * (1 / counts[0] + 1 / counts[1]) ** 0.5))
    return MeanShift(first.mean, second.mean, error, sum(counts), max(first.deviation, second.deviation))


def _compare_prompts(first: Draws, second: Draws) -> MeanShift | None:
    """The same prompts early and late, where most late prompts occur early."""
    if first.prompts is None or second.prompts is None:
        return None
    common = np.intersect1d(first.prompts, second.prompts)
    common = common[common >= 0]
    if len(common) < FEWEST_DRAWS or np.isin(second.prompts, common).mean() < SHARED:
        return None
    parts, means = [], []
    for prompts, values in ((first.prompts, first.means), (second.prompts, second.means)):
        kept = np.isin(prompts, common)
        codes = np.searchsorted(common, prompts[kept])
        parts.append((codes, values[kept]))
        means.append(np.bincount(codes, values[kept]) / np.bincount(codes))
    error, drawn = float((means[1] - means[0]).std(ddof=1) / len(common) ** 0.5), len(common)
    if len(common) < FEW_PROMPTS and (inside := _estimate_error(parts, means)) is not None:
        error, drawn = inside
    deviation = max(first.deviation, second.deviation)
    return MeanShift(float(means[0].mean()), float(means[1].mean()), error, drawn, deviation)


def _estimate_error(parts: list[tuple[Ints, Array]], means: list[Array]) -> tuple[float, int] | None:
    """The standard error of a change over few fixed prompts, from draws of one prompt, and its degrees of freedom."""
    left = sum(float(((values - mean[codes]) ** 2).sum()) for (codes, values), mean in zip(parts, means, strict=True))
    drawn, count = sum(len(codes) for codes, _ in parts), len(means[0])
    freedom = drawn - 2 * count
    if freedom < 2 * FEWEST_DRAWS:
        return None
    shares = sum(float((1 / np.bincount(codes)).sum()) for codes, _ in parts)
    return (left / freedom * shares) ** 0.5 / count, freedom


def _compare_levelled(first: Draws, second: Draws) -> MeanShift | None:
    """The change at an equal mix of difficulties; None where the parts hardly overlap."""
    parts = [(part, np.isfinite(part.difficulties)) for part in (first, second) if part.difficulties is not None]
    known = [(part.difficulties[kept], part.means[kept]) for part, kept in parts if part.difficulties is not None]
    if any(len(means) < FEWEST_DRAWS for _, means in known):
        return _compare_independent(first, second)
    edges = np.unique(np.quantile(np.concatenate([levels for levels, _ in known]), np.linspace(0, 1, 11)[1:-1]))
    return _compare_strata(first, second, [(np.searchsorted(edges, levels), means) for levels, means in known])


def _compare_strata(first: Draws, second: Draws, parts: list[tuple[Ints, Array]]) -> MeanShift | None:
    """The change at an equal mix of strata, each draw with the number of its own; None where they hardly overlap."""
    codes = np.unique(np.concatenate([strata for strata, _ in parts]), return_inverse=True)[1]
    places = np.split(codes, [len(parts[0][0])])
    counts = np.array([np.bincount(place, minlength=int(codes.max()) + 1) for place in places], float)
    shares = (counts / counts.sum(axis=1, keepdims=True)).min(axis=0) * (counts >= 2).all(axis=0)
    if shares.sum() < LIKE_ENOUGH:
        return None
    shares /= shares.sum()
    levels, errors = [], []
    for place, (_, means), count in zip(places, parts, counts, strict=True):
        inside = np.bincount(place, means, minlength=len(count)) / np.maximum(count, 1)
        scatter = np.bincount(place, (means - inside[place]) ** 2, minlength=len(count)) / np.maximum(count - 1, 1)
        levels.append(float(shares @ inside))
        errors.append(float((shares**2 / np.maximum(count, 1)) @ scatter))
    drawn = int(counts[:, shares > 0].sum())
    return MeanShift(levels[0], levels[1], sum(errors) ** 0.5, drawn, max(first.deviation, second.deviation))


def split(samples: Samples, name: str) -> SampleSplit | None:
    """The rows with this column: those of the baseline, or else of the start of training, against the last ones."""
    rows = select_complete(samples, name)
    if samples.baseline is not None and name in samples.baseline:
        before = select_complete(samples.baseline, name)
        if len(before) < FEWEST_ROWS:
            return None
        return SampleSplit(before, select_latest(samples, name), "in the baseline", baseline=True)
    parts = ends(rows)
    return (
        None if parts is None else SampleSplit(rows.where(parts[0]), rows.where(parts[1]), "at the start of training")
    )


def select_latest(samples: Samples, name: str) -> Samples:
    """The rows with this column at the end of training; all of them where steps are not known."""
    rows = select_complete(samples, name)
    parts = ends(rows)
    return rows if parts is None else rows.where(parts[1])


def select_settled(samples: Samples, name: str) -> Samples:
    """The rows with this column at the end of training; all of them where it does not change or steps are not known."""
    parts = split(samples, name)
    shift = None if parts is None else parts.shift(name)
    still = shift is not None and not shift.rose and not shift.fell
    return select_complete(samples, name) if still else select_latest(samples, name)


def ends(samples: Samples) -> tuple[Flags, Flags] | None:
    """The rows of the start and of the end of training; None where steps are not known or rows too few."""
    steps = find_steps(samples)
    if steps is None:
        return None
    step = np.where(np.isfinite(steps), steps, np.nan)
    known, codes = np.unique(step, return_inverse=True)
    known = known[np.isfinite(known)]
    if len(known) < 2:
        return None
    _, first = np.unique(hash_draws(samples), return_index=True)
    rows, drawn = np.bincount(codes)[: len(known)], np.bincount(codes[first], minlength=len(known))[: len(known)]
    progress = (known - known[0]) / (known[-1] - known[0])
    start = _find_edge(progress, rows, drawn, EARLY)
    end = _find_edge(1.0 - progress[::-1], rows[::-1], drawn[::-1], LATE)
    if start is None or end is None:
        return None
    return step <= known[start], step >= known[len(known) - 1 - end]


def _find_edge(progress: Array, rows: Ints, drawn: Ints, share: float) -> int | None:
    """The index of the last step that belongs to this end of training."""
    enough = (np.cumsum(rows) >= FEWEST_ROWS) & (np.cumsum(drawn) >= FEWEST_DRAWS)
    if not enough.any():
        return None
    furthest = int(np.searchsorted(progress, FURTHEST, side="right")) - 1
    wished = min(int(np.searchsorted(np.cumsum(drawn), WISHED_DRAWS)), furthest)
    last = max(int(np.searchsorted(progress, share, side="right")) - 1, int(np.argmax(enough)), wished)
    return last if progress[last] <= max(share, FURTHEST) else None


@dataclass(frozen=True, eq=False)
class SampleCourse:
    """A column over training, in blocks of about equally many draws: last step, mean, standard error."""

    steps: Array
    means: Array
    errors: Array

    def crossed(self, limit: float, *, falling: bool = False) -> float | None:
        """The step from which on every block is beyond the limit."""
        beyond = self.means <= limit if falling else self.means >= limit
        inside = np.flatnonzero(~beyond)
        first = int(inside[-1]) + 1 if len(inside) else 0
        return float(self.steps[first]) if first < len(self.steps) else None


def measure_course(samples: Samples, name: str, *, most: int = 20) -> SampleCourse | None:
    """A column over the training steps; None where there are fewer than two."""
    rows = select_complete(samples, name) if name in samples else None
    steps = None if rows is None else find_steps(rows)
    if rows is None or steps is None or len(rows) < FEWEST_ROWS:
        return None
    rows = rows if np.isfinite(steps).all() else rows.where(np.isfinite(steps))
    known, codes = np.unique(steps[np.isfinite(steps)], return_inverse=True)
    if len(known) < 2:
        return None
    _, first, drawn = np.unique(hash_draws(rows), return_index=True, return_inverse=True)
    means = np.bincount(drawn, rows[name]) / np.bincount(drawn)
    share = np.cumsum(np.bincount(codes[first], minlength=len(known))) / len(first)
    blocks = np.minimum((share * most - 1e-9).astype(np.int64), most - 1)
    _, ends, blocks = np.unique(blocks[::-1], return_index=True, return_inverse=True)
    blocks = blocks[::-1][codes[first]]
    counts = np.bincount(blocks)
    level = np.bincount(blocks, means) / counts
    scatter = np.bincount(blocks, (means - level[blocks]) ** 2) / np.maximum(counts - 1, 1)
    overall = float(means.var())
    error = np.sqrt(np.where(counts >= FEWEST_DRAWS, scatter, overall) / counts)
    return SampleCourse(known[::-1][ends], level, error)


def find_onset(samples: Samples, name: str, shift: MeanShift) -> float | None:
    """The step from which on a column is closer to its end than to its start."""
    over = measure_course(samples, name)
    return None if over is None else over.crossed((shift.before + shift.after) / 2, falling=shift.change < 0)


def find_component_columns(samples: Samples, *, right: bool = False) -> Iterator[tuple[str, Array]]:
    """The reward components whose names mean format, or correctness."""
    for part, column in samples.columns(COMPONENT):
        name = part.lower()
        form = bool(FORM.search(name))
        if not NOT_PAID.search(name) and (bool(RIGHT.search(name)) and not form if right else form):
            yield part, column
