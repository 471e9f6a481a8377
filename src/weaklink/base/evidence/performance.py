"""How a run's own measure of success moved: the second signal that most rules ask for."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np

from weaklink.base.evidence.series import Array, Series
from weaklink.base.stats import Trend, block_means, level, noise, quantile, scatter_within, trend, wander

MEASURES = (
    "reward.episode_return",
    "evaluation.return",
    "evaluation.success_rate",
    "task.success_rate",
    "evaluation.win_rate",
    "reward.mean",
    "evaluation.score",
    "evaluation.rating",
    "policy.optimal_share",
)
FEWEST_POINTS, FEW_POINTS = 8, 20
LOST = 0.35  # of its gain over the start: a run that loses more has declined
NOTICEABLE = 0.15  # of the return itself: a smaller loss is a wobble, however smooth the curve
HINT = 0.1  # chance of such a trend without a rise: beyond it a curve of so much scatter is not called still
LARGE = 0.5  # of the return itself: so much, won without a step back, is no chance however few points bend how much
OF_FEW = 0.2  # of the return itself: with few points a smaller gain is luck too often
NEGLIGIBLE = 0.01  # of the return itself: so little is neither won nor lost, however clearly it shows
BLOCKS = 25  # a curve is compared in so many means, or point by point where it has no more
EDGE = 8  # its start, its best and its end are an eighth of it each
FEW = 10.0  # scatter that is estimated from so many points is taken twice as large
APART = 4.0  # times the scatter within levels: a smoothed curve of returns that do not change hardly ever gets there
AVERAGING = 4  # points of a block whose mean hardly wanders
UNEVEN = 20.0  # times the gap between early points: beyond what longer episodes of a better policy make of it
UNSEEN = 0.4  # of the wandering that neighbours hint at: so curves of unchanged returns keep still in 19 of 20 cases


class Performance(msgspec.Struct, frozen=True):
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
        if self.declined and self.best - self.start > LOST * (self.best - self.final):
            return f"{self.metric} rises from {self.start:.4g} to {self.best:.4g} and falls to {self.final:.4g}"
        if self.improved and min(self.start, self.final) - self.lowest > LOST * (self.best - self.lowest):
            return f"{self.metric} falls from {self.start:.4g} to {self.lowest:.4g} and recovers to {self.final:.4g}"
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
    # a reward that rises while the return falls is what was trained on, and not what was wanted
    others = [other for other in known[1:] if not (first.declined and other.metric == "reward.mean")]
    return first if first.improved else next((other for other in others if other.improved), first)


def measure_course(series: Series) -> Performance | None:
    """The course of one series, or None where it is too short to have one."""
    if len(series) < FEWEST_POINTS:
        return None
    values, steps = _space_evenly(series)
    count = min(len(values), BLOCKS)
    means = block_means(values, count)
    ends = steps[((np.arange(count) + 1) * len(values)) // count - 1]
    edge = max(2, round(count / EDGE))
    smooth = np.convolve(means, np.ones(edge) / edge, mode="valid")
    start, final, top = float(smooth[0]), float(smooth[-1]), int(np.argmax(smooth))
    best, lowest = float(smooth[top]), float(smooth.min())
    whole = trend(values)
    size = max(abs(start), abs(best), abs(final))
    scatter = _measure_scatter(values, means)
    by_chance = 3.0 * scatter * float(np.sqrt(2.0 / edge))
    clear = max(by_chance * _measure_wander(values, means), NEGLIGIBLE * size, 1e-12)
    declined = _has_fallen(smooth, top, clear, size)
    few = len(values) < FEW_POINTS
    least = OF_FEW * size if few else 0.0
    won = final - start > max(clear, least, _find_deepest_fall(smooth)) or _climbs(whole, start, final)
    reach = max(0.0 if few else 2 * by_chance, min(2 * clear, LOST * size), 2 * NEGLIGIBLE * size)
    still = best - lowest <= reach and final - start <= max(scatter, NEGLIGIBLE * size)
    return Performance(
        metric=series.name,
        start=start,
        best=best,
        best_step=float(ends[min(top + edge - 1, count - 1)]),
        final=final,
        lowest=lowest,
        noise=scatter,
        trend=whole,
        improved=won and not declined,
        declined=declined,
        flat=still and not won and not declined and not _hints_at_rise(whole, size),
    )


def _space_evenly(series: Series) -> tuple[Array, Array]:
    """The points of a series, those that lie close together joined where later ones lie much further apart.

    Else the end of a run would be a third of it where a row is written whenever the steps have grown by a share.
    """
    values, steps = series.values, series.steps
    gaps, quarter = np.diff(steps), max(len(steps) // 4, 1)
    early, late = level(gaps[:quarter]), quantile(gaps[-quarter:], 0.9)
    if late <= UNEVEN * early or len(values) < FEW_POINTS:
        return values, steps
    places = ((steps - steps[0]) / late).astype(np.int64)
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    if len(starts) < FEW_POINTS:
        return values, steps
    sizes = np.diff(np.append(starts, len(values)))
    return np.asarray(np.add.reduceat(values, starts) / sizes), steps[starts + sizes - 1]


def _has_fallen(smooth: Array, top: int, clear: float, size: float) -> bool:
    """Whether the end lost a good part of what was won, or lies below the start, and does not recover."""
    start, best, final = float(smooth[0]), float(smooth[top]), float(smooth[-1])
    gain, loss = best - start, best - final
    lost = loss > LOST * gain if gain > clear else final < start and max(start - final, 0.75 * loss) > clear
    return lost and loss > max(clear, NOTICEABLE * size) and not _recovering(smooth[top:], final)


def _hints_at_rise(whole: Trend, size: float) -> bool:
    """Whether it seems to rise by what would matter: amid such scatter, that it does not is no more than a guess."""
    return whole.slope > 0 and whole.p_value < HINT and whole.change > NOTICEABLE * size


def _climbs(whole: Trend, start: float, final: float) -> bool:
    """Whether it rises nearly all the time and far: a bend of few points looks like scatter between their blocks."""
    return whole.rises and whole.monotone and final - start > LARGE * max(abs(start), abs(final))


def _recovering(since_best: Array, final: float) -> bool:
    """Whether a curve that fell has won back most of it and still climbs, as after a harder stage of a curriculum."""
    lowest = int(np.argmin(since_best))
    regained = (final - since_best[lowest]) / max(float(since_best[0] - since_best[lowest]), 1e-12)
    climb = since_best[lowest:]
    return bool(regained > 0.5 and len(climb) >= 4 and np.mean(np.diff(climb) > 0) > 0.8)


def _find_deepest_fall(curve: Array) -> float:
    """The furthest that a curve ever fell below its best until then."""
    return float((np.maximum.accumulate(curve) - curve).max())


def _measure_scatter(values: Array, means: Array) -> float:
    """The scatter of a block mean around the level of its stretch, or what the points inside a block leave of it.

    It is itself an estimate, and a poor one from few points: then it is taken larger.
    """
    inside = noise(values) / float(np.sqrt(len(values) / len(means))) if len(values) > len(means) else 0.0
    return max(min(noise(means), scatter_within(means)), inside) * (1 + FEW / len(values))


def _measure_wander(values: Array, means: Array) -> float:
    """How much further than its neighbours show a curve may wander by chance, as far as its blocks do not average it.

    A curve that keeps to a few levels far apart does not wander.
    """
    if float(means.std()) > APART * scatter_within(means):
        return 1.0
    alone = max(0.0, 1 - (len(values) / len(means) - 1) / (AVERAGING - 1))
    return 1 + alone * UNSEEN * (wander(means) - 1)
