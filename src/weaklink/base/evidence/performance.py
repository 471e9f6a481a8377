"""How a run's own measure of success moved: the second signal that most rules ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import Trend, block_means, noise, trend

MEASURES = (
    "reward.episode_return",
    "evaluation.return",
    "evaluation.success_rate",
    "task.success_rate",
    "evaluation.win_rate",
    "reward.mean",
    "evaluation.score",
    "evaluation.rating",
)
FEWEST_POINTS = 8
LOST = 0.35  # of its gain over the start: a run that loses more has declined
NOTICEABLE = 0.15  # of the return itself: a smaller loss is a wobble, however smooth the curve
LARGE = 0.5  # of the return itself: so much, won without a step back, is no chance however few points bend how much


@dataclass(frozen=True, slots=True)
class Performance:
    """The course of a measure of success over the run, in block means so that noise counts for little.

    `noise` is the scatter of one block mean; a gain or loss means something from a few times that on.
    """

    metric: str
    start: float
    best: float
    best_step: float
    final: float
    lowest: float
    noise: float
    trend: Trend
    improved: bool
    declined: bool
    flat: bool

    @property
    def stuck(self) -> bool:
        """Clearly no better than it began, as opposed to not yet known to be better."""
        return self.flat or self.declined

    @property
    def told(self) -> str:
        """The course in words, for messages."""
        return f"{self.metric} goes from {self.start:.4g} to {self.final:.4g}"

    @property
    def kept(self) -> float:
        """The share of the gain over the start that the end still has."""
        gain = self.best - self.start
        return (self.final - self.start) / gain if gain > 0 else 1.0


def measure_performance(series: Mapping[str, Series]) -> Performance | None:
    """The course of the best measure that a run logs often enough."""
    courses = [measure_course(series[name]) for name in MEASURES if name in series]
    known = [course for course in courses if course is not None]
    if not known:
        return None
    first = known[0]
    if first.improved or not any(other.improved for other in known[1:]):
        return first
    return next(other for other in known[1:] if other.improved)


def measure_course(series: Series) -> Performance | None:
    """The course of one series, or None where it is too short to have one."""
    if len(series) < FEWEST_POINTS:
        return None
    values, steps = series.values, series.steps
    count = int(np.clip(len(values) // 4, 4, 25))
    means = block_means(values, count)
    ends = steps[((np.arange(count) + 1) * len(values)) // count - 1]
    scatter = _measure_scatter(values, means)
    edge = max(1, round(count / 8))
    smooth = np.convolve(means, np.ones(edge) / edge, mode="valid")
    start, final = float(means[:edge].mean()), float(means[-edge:].mean())
    top = int(np.argmax(smooth))
    best, lowest = float(smooth[top]), float(smooth.min())
    whole = trend(values)
    clear = max(3.0 * scatter * float(np.sqrt(2.0 / edge)), 1e-12)
    gain, loss = best - start, best - final
    lost = loss > LOST * gain if gain > clear else final < start and max(start - final, 0.75 * loss) > clear
    declined = loss > clear and lost and loss > NOTICEABLE * max(abs(start), abs(best), abs(final))
    declined = declined and not _recovering(smooth[top:], final)
    improved = (final - start > clear or _climbs(whole, start, final)) and not declined
    return Performance(
        metric=series.name,
        start=start,
        best=best,
        best_step=float(ends[min(top + edge - 1, count - 1)]),
        final=final,
        lowest=lowest,
        noise=scatter,
        trend=whole,
        improved=improved,
        declined=declined,
        flat=not improved and not declined and gain <= 2 * clear and final - start <= scatter and not whole.rises,
    )


def _climbs(whole: Trend, start: float, final: float) -> bool:
    """Whether it rises nearly all the time and far: a bend of few points looks like scatter between their blocks."""
    return whole.rises and whole.monotone and final - start > LARGE * max(abs(start), abs(final))


def _recovering(since_best: Array, final: float) -> bool:
    """Whether a curve that fell has won back most of it and still climbs, as after a harder stage of a curriculum."""
    lowest = int(np.argmin(since_best))
    regained = (final - since_best[lowest]) / max(float(since_best[0] - since_best[lowest]), 1e-12)
    climb = since_best[lowest:]
    return bool(regained > 0.5 and len(climb) >= 4 and np.mean(np.diff(climb) > 0) > 0.8)


def _measure_scatter(values: Array, means: Array) -> float:
    """The scatter of a block mean: between blocks, or what the points inside a block leave of it.

    It is itself an estimate, and a poor one from few points: then it is taken larger.
    """
    inside = noise(values) / np.sqrt(max(len(values) / len(means), 1.0))
    return max(noise(means), float(inside)) * (1 + 10 / len(values))
