"""Points that never end kept in bounded memory: neighbours are merged by twos, again and again, extremes kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_POINTS = 4096
"""Merged, at most twice this many points are left."""

LIMIT = 2 * MOST_POINTS
WAITING = 4 * MOST_POINTS
"""Numbers that wait to be merged; more of them would leave the cache of the processor."""


class SeriesPoints(NamedTuple):
    """Points in their order: values of one series, or a row of values a point for several that are logged together."""

    steps: Array
    values: Array
    lows: Array
    highs: Array
    times: Array | None = None

    @property
    def width(self) -> int:
        """How many series there are."""
        return 1 if self.values.ndim == 1 else self.values.shape[1]

    @classmethod
    def logged(cls, steps: Array, values: Array, times: Array | None) -> SeriesPoints:
        """Points as they were logged: each is its own lowest and highest."""
        return cls(steps, values, values, values, times)

    def part(self, start: int, end: int | None = None) -> SeriesPoints:
        """Those from one place to another."""
        times = None if self.times is None else self.times[start:end]
        return SeriesPoints(
            self.steps[start:end], self.values[start:end], self.lows[start:end], self.highs[start:end], times
        )

    def columns(self) -> list[SeriesPoints]:
        """The series of points that hold several."""
        values = np.ascontiguousarray(self.values.T)
        lows = values if self.lows is self.values else np.ascontiguousarray(self.lows.T)
        highs = values if self.highs is self.values else np.ascontiguousarray(self.highs.T)
        return [SeriesPoints(self.steps, *parts, self.times) for parts in zip(values, lows, highs, strict=True)]


class PointMerger:
    """Takes points and merges them once they are too many.

    Each merged point stands for `stride` logged ones: the mean of their values, at the last of their steps. What comes
    out does not depend on how the points were handed over.
    """

    def __init__(self) -> None:
        self._pending: list[SeriesPoints] = []
        self._waiting = 0
        self._merged: list[SeriesPoints] = []
        self._length = 0
        self._stride = 1
        self._timed = True

    def extend(self, points: SeriesPoints) -> None:
        """Takes finite points that were logged after all before; once some come without times, none have any."""
        self._timed = self._timed and points.times is not None
        if not len(points.steps):
            return
        self._pending.append(points)
        self._waiting += len(points.steps)
        if self._waiting * points.width > WAITING:
            self._merge()

    def finished(self) -> SeriesPoints | None:
        """All points so far; the last may stand for fewer than the others. None where none has come."""
        self._merge()
        parts = list(self._merged)
        if self._waiting:
            parts.append(_merge_all(_join(self._pending)) if self._stride > 1 else _join(self._pending))
        if not parts:
            return None
        points = _join(parts)
        return points if self._timed else points._replace(times=None)

    def settle(self) -> None:
        """Merges what can be merged by now, so that little is left to be kept; what comes out is the same."""
        self._merge()
        self._merged = [_join(self._merged)] if self._merged else []

    def split(self) -> list[PointMerger]:
        """What was taken of each series, where they were taken together."""
        self._merge()
        merged = _join(self._merged).columns() if self._merged else []
        pending = _join(self._pending).columns() if self._pending else []
        apart = []
        for place in range(max(len(merged), len(pending))):
            one = PointMerger()
            one._merged, one._length = merged[place : place + 1], self._length
            one._pending, one._waiting = pending[place : place + 1], self._waiting
            one._stride, one._timed = self._stride, self._timed
            apart.append(one)
        return apart

    def _merge(self) -> None:
        """Merges as many of the waiting points as make whole strides; the few others go on waiting."""
        if not self._waiting:
            return
        waiting = _join(self._pending)
        done, stride = self._length * self._stride, self._stride
        total = done + self._waiting
        while total > LIMIT * stride:
            stride *= 2
        taken = total // stride * stride - done
        fresh = waiting.part(0, taken)
        for _ in range(self._stride.bit_length() - 1):
            fresh = _halve(fresh)
        self._merged += [fresh] if taken else []
        self._length += len(fresh.steps)
        if self._stride < stride:
            self._merged = [_join(self._merged)]
        while self._stride < stride:
            self._merged = [_halve(self._merged[0])]
            self._length //= 2
            self._stride *= 2
        self._waiting -= taken
        self._pending = [waiting.part(taken)] if self._waiting else []


def _halve(points: SeriesPoints) -> SeriesPoints:
    """Each two neighbours made one."""
    values = points.values[0::2] * 0.5
    values += points.values[1::2] * 0.5
    return SeriesPoints(
        points.steps[1::2],
        values,
        np.minimum(points.lows[0::2], points.lows[1::2]),
        np.maximum(points.highs[0::2], points.highs[1::2]),
        None if points.times is None else points.times[1::2],
    )


def _merge_all(points: SeriesPoints) -> SeriesPoints:
    """All points made one."""
    return SeriesPoints(
        points.steps[-1:],
        (points.values / len(points.values)).sum(axis=0, keepdims=True),
        points.lows.min(axis=0, keepdims=True),
        points.highs.max(axis=0, keepdims=True),
        None if points.times is None else points.times[-1:],
    )


def _join(parts: list[SeriesPoints]) -> SeriesPoints:
    if len(parts) == 1:
        return parts[0]
    steps = np.concatenate([part.steps for part in parts])
    values = np.concatenate([part.values for part in parts])
    logged = all(part.lows is part.values for part in parts)
    known = [part.times for part in parts if part.times is not None]
    return SeriesPoints(
        steps,
        values,
        values if logged else np.concatenate([part.lows for part in parts]),
        values if logged else np.concatenate([part.highs for part in parts]),
        np.concatenate(known) if len(known) == len(parts) else None,
    )
