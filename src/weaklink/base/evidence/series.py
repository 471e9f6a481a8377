"""One metric over a run: finite values in the order of their steps, in bounded memory, with where they came from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import nan

import msgspec
import numpy as np
from numpy.typing import ArrayLike, NDArray

from weaklink.base.evidence.merging import MOST_POINTS, Array, PointMerger, SeriesPoints
from weaklink.base.limits import LARGEST_STEP
from weaklink.base.stats.level import level

__all__ = ["MOST_POINTS", "Array", "NonFinite", "Provenance", "Series", "SeriesBuilder", "sort_steps"]


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a series came from and what was done to it.

    The value of the series is `scale` times the number logged under `key`; `axis` says what its steps count, and
    `aggregation` how the source made one number of many (the mean of 100 episodes, the last minibatch, ...).
    """

    key: str
    axis: str = "step"
    aggregation: str = ""
    scale: float = 1.0
    framework: str = ""


class NonFinite(msgspec.Struct, frozen=True):
    """The points of a series that were NaN or infinite; they are counted here and taken out of its values.

    `tail` of them stand at the end of the log, from step `since` on, with no finite point after them.
    """

    count: int
    first_step: float
    last_step: float
    nan: int
    tail: int = 0
    since: float = 0.0

    @property
    def word(self) -> str:
        """`NaN`, `inf` or both, as was seen."""
        if self.nan == self.count:
            return "NaN"
        return "inf" if self.nan == 0 else "NaN and inf"


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """One metric over the run: finite values in the order of their steps.

    `lows` and `highs` are the extremes behind each value where neighbouring points were merged, and the values
    themselves otherwise. `count` is how many points were logged, the non-finite ones included.
    """

    name: str
    steps: Array
    values: Array
    lows: Array
    highs: Array
    provenance: Provenance
    count: int
    nonfinite: NonFinite | None = None
    times: Array | None = None

    @classmethod
    def of(
        cls,
        name: str,
        steps: ArrayLike,
        values: ArrayLike,
        *,
        provenance: Provenance | None = None,
        times: ArrayLike | None = None,
    ) -> Series:
        """Builds a series from plain arrays, as a reader would from a log."""
        builder = SeriesBuilder()
        builder.extend(steps, values, times)
        return builder.build(name, provenance or Provenance(key=name))

    def __len__(self) -> int:
        return len(self.values)

    def scaled(self, factor: float) -> Series:
        """The same series with every value multiplied by a factor."""
        if factor == 1.0:
            return self
        lows, highs = self.lows * factor, self.highs * factor
        if factor < 0:
            lows, highs = highs, lows
        return replace(self, values=self.values * factor, lows=lows, highs=highs)

    @property
    def first_step(self) -> float:
        """The step of the first finite point."""
        return float(self.steps[0])

    @property
    def last_step(self) -> float:
        """The step of the last finite point."""
        return float(self.steps[-1])

    @property
    def interval(self) -> float:
        """The usual distance between two points: the least uncertainty that an onset can have."""
        return level(np.diff(self.steps)) if len(self) > 1 else 0.0


class SeriesBuilder:
    """Collects the points of one series in bounded memory, however many there are.

    `merging` may hold points that were collected together with those of other series. `unplaced` counts the numbers
    that were dropped since their step is none, or larger than any counter.
    """

    def __init__(self, merging: PointMerger | None = None, count: int = 0) -> None:
        self._single: list[tuple[float, float, float]] = []
        self._merging = merging or PointMerger()
        self._count = count
        self.unplaced = 0
        self._bad = 0
        self._nan = 0
        self._bad_first = self._bad_last = 0.0
        self._tail = 0
        self._since = 0.0
        self.replaced = 0
        """How many points `build` left out because their steps were logged again later."""
        self.earlier: Series | None = None
        """These points, in the order in which they were logged."""

    def __len__(self) -> int:
        return self._count + len(self._single)

    def add(self, step: float, value: float, time: float | None = None) -> None:
        """Adds one point."""
        self._single.append((step, value, nan if time is None else time))
        if len(self._single) > MOST_POINTS:
            self._take_single()

    def extend(self, steps: ArrayLike, values: ArrayLike, times: ArrayLike | None = None) -> None:
        """Adds points in the order in which they were logged; non-finite values are counted and set aside."""
        self._take_single()
        step_array = np.asarray(steps, dtype=np.float64)
        value_array = np.asarray(values, dtype=np.float64)
        time_array = None if times is None else np.asarray(times, dtype=np.float64)
        self._count += len(value_array)
        finite = np.isfinite(value_array)
        placed = np.abs(step_array) < LARGEST_STEP
        if not (finite.all() and placed.all()):
            self._set_aside(step_array, placed, value_array, finite)
            finite &= placed
            step_array, value_array = step_array[finite], value_array[finite]
            time_array = None if time_array is None else time_array[finite]
        elif len(finite):
            self._tail, self._since = 0, 0.0
        self._merging.extend(SeriesPoints.logged(step_array, value_array, time_array))

    def settle(self) -> None:
        """Takes in what waits; what is built is the same."""
        self._take_single()
        self._merging.settle()

    def build(self, name: str, provenance: Provenance) -> Series:
        """The series so far, its steps in order: a resumed run replaces what it wrote again."""
        self._take_single()
        points = self._merging.finished()
        nonfinite = None
        if self._bad:
            nonfinite = NonFinite(self._bad, self._bad_first, self._bad_last, self._nan, self._tail, self._since)
        if points is None:
            empty = np.empty(0)
            return Series(name, empty, empty, empty, empty, provenance, self._count, nonfinite)
        steps, values, lows, highs, times = points
        keep, steps = sort_steps(steps)
        self.replaced = len(steps) - len(keep)
        if self.replaced:
            gone = np.setdiff1d(np.arange(len(steps)), keep)
            self.earlier = Series(name, steps[gone], values[gone], lows[gone], highs[gone], provenance, len(gone))
        return Series(
            name,
            steps[keep],
            values[keep],
            lows[keep],
            highs[keep],
            provenance,
            self._count,
            nonfinite,
            None if times is None else times[keep],
        )

    def _take_single(self) -> None:
        if not self._single:
            return
        steps, values, times = np.array(self._single, dtype=np.float64).T
        self._single = []
        self.extend(steps, values, None if np.isnan(times).any() else times)

    def _set_aside(self, steps: Array, placed: NDArray[np.bool_], values: Array, finite: NDArray[np.bool_]) -> None:
        self.unplaced += int((finite & ~placed).sum())
        known = steps[~finite & placed]
        if not self._bad and len(known):
            self._bad_first = float(known[0])
        if len(known):
            self._bad_last = float(known[-1])
        self._bad += int((~finite).sum())
        self._nan += int(np.isnan(values[~finite]).sum())
        ends = np.flatnonzero(finite)
        tail = steps[ends[-1] + 1 :] if len(ends) else steps
        if len(ends) or not self._tail:
            reached = tail[np.abs(tail) < LARGEST_STEP]
            self._tail, self._since = 0, float(reached[0]) if len(reached) else 0.0
        self._tail += len(tail)


def sort_steps(steps: Array) -> tuple[NDArray[np.intp], Array]:
    """Which points to keep, in which order, so that steps never fall; and the steps to use.

    Three things make steps fall, told apart by how far and how often: late writers (small falls: sort), a resumed
    run (falls now and then: what was written again replaces the older rows), and a counter that starts anew every
    epoch (falls to the start all the time: it is no axis, so rows are counted instead).
    """
    everything = np.arange(len(steps))
    falls = np.flatnonzero(np.diff(steps) < 0)
    if not len(falls):
        never_counted = len(steps) > 3 and steps[0] == steps[-1] == 0
        return everything, everything.astype(np.float64) if never_counted else steps
    reach = float(steps.max() - steps.min())
    depth = steps[falls] - steps[falls + 1]
    tail = len(steps) - 1 - falls[-1]
    restarts = steps[falls + 1] <= steps.min() + 0.1 * reach
    if len(falls) > 3 and restarts.mean() > 0.8 and depth.max() > 0.5 * reach:
        return everything, everything.astype(np.float64)
    if depth.max() <= 0.02 * reach or tail < 5:
        return np.argsort(steps, kind="stable"), steps
    session = np.concatenate(([0], np.cumsum(np.diff(steps) < 0)))
    starts = np.concatenate(([0], falls + 1))
    lowest_later = np.append(np.minimum.accumulate(steps[starts][::-1])[::-1][1:], np.inf)
    return np.flatnonzero(steps < lowest_later[session]), steps
