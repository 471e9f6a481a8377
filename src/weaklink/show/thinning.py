"""Long rows of numbers made short enough to draw, with what they reach kept, and written as bytes."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import msgspec
import numpy as np

from weaklink.base.evidence.gaps import Gap
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Array, Provenance, Series
from weaklink.show.document import ChartAxis, ChartLine

WIDE = 2.0
"""Points further apart than so many of their usual distances have something left out between them: what is measured
every few updates by plan has no gaps."""

LARGEST = float(np.finfo(np.float32).max)


class ThinnedSeries(msgspec.Struct, frozen=True, eq=False):
    """Values by step; `lows` and `highs` are the extremes behind each, None where each is a value that was logged."""

    steps: Array
    values: Array
    lows: Array | None = None
    highs: Array | None = None

    @property
    def count(self) -> int:
        """How many numbers it takes to write it down, the axis left out."""
        return len(self.values) * (1 if self.lows is None else 3)


def thin_series(series: Series, points: int) -> ThinnedSeries:
    """At most so many points: neighbours become their mean, at the last of their steps, with all extremes kept."""
    if len(series) <= points:
        merged = bool(np.any(series.lows != series.values) or np.any(series.highs != series.values))
        extremes = (series.lows, series.highs) if merged else (None, None)
        return ThinnedSeries(series.steps, series.values, *extremes)
    edges, sizes = find_part_edges(len(series), points)
    return ThinnedSeries(
        series.steps[np.append(edges[1:], len(series)) - 1],
        np.add.reduceat(series.values / np.repeat(sizes, sizes), edges),
        np.minimum.reduceat(series.lows, edges),
        np.maximum.reduceat(series.highs, edges),
    )


def thin_with_gaps(series: Series, points: int, gaps: Sequence[Gap]) -> ThinnedSeries:
    """A series made short with NaN wherever updates passed unmeasured, so that no line is drawn across."""
    breaks = find_breaks(series, gaps)
    if not breaks:
        return thin_series(series, points)
    edges = [0, *breaks, len(series)]
    parts = [_take_points(series, start, end) for start, end in pairwise(edges)]
    shares = (max(points * len(part) // len(series), 1) for part in parts)
    short = [thin_series(part, share) for part, share in zip(parts, shares, strict=True)]
    between = [(float(series.steps[place - 1]) + float(series.steps[place])) / 2 for place in breaks]
    merged = any(one.lows is not None for one in short)

    def join(rows: list[Array], fillers: Sequence[float]) -> Array:
        pieces = [piece for row, filler in zip(rows, fillers, strict=False) for piece in (row, np.array([filler]))]
        return np.concatenate([*pieces, rows[-1]])

    holes = [np.nan] * len(breaks)
    return ThinnedSeries(
        join([one.steps for one in short], between),
        join([one.values for one in short], holes),
        join([one.values if one.lows is None else one.lows for one in short], holes) if merged else None,
        join([one.values if one.highs is None else one.highs for one in short], holes) if merged else None,
    )


def find_breaks(series: Series, gaps: Sequence[Gap]) -> list[int]:
    """The places of the points that come after a gap: far from the one before, with updates known to be unmeasured."""
    far = np.flatnonzero(np.diff(series.steps) > WIDE * series.interval) + 1 if len(series) > 1 else ()
    steps = series.steps
    return [int(place) for place in far if any(one.start < steps[place] and one.end > steps[place - 1] for one in gaps)]


def _take_points(series: Series, start: int, end: int) -> Series:
    rows = {name: getattr(series, name)[start:end] for name in ("steps", "values", "lows", "highs")}
    return replace(series, **rows, times=None)


def find_part_edges(count: int, parts: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each of so many even parts of a row begins, and how long it is."""
    edges = (np.arange(parts) * count) // parts
    return edges, np.diff(np.append(edges, count))


def thin_run(run: Run, points: int) -> Run:
    """The same run with no series longer than so many points: little to keep where there are many runs."""
    return replace(
        run,
        series={name: _shorten_series(series, points) for name, series in run.series.items()},
        unknown={name: _shorten_series(series, points) for name, series in run.unknown.items()},
    )


def _shorten_series(series: Series, points: int) -> Series:
    if len(series) <= points:
        return series
    short = thin_series(series, points)
    lows = short.values if short.lows is None else short.lows
    highs = short.values if short.highs is None else short.highs
    return replace(series, steps=short.steps, values=short.values, lows=lows, highs=highs, times=None)


def encode_float32(values: Array) -> bytes:
    """32-bit floats, little-endian; what is larger than they can hold is written as the largest they can."""
    with np.errstate(invalid="ignore"):
        return bytes(np.clip(np.asarray(values, dtype=np.float64), -LARGEST, LARGEST).astype("<f4").tobytes())


def encode_float64(values: Array) -> bytes:
    """64-bit floats, little-endian."""
    return bytes(np.asarray(values, dtype="<f8").tobytes())


class PageAxes(msgspec.Struct):
    """The axes of a page; lines over the same steps share one."""

    found: dict[str, ChartAxis] = {}

    def named(self, steps: Array, label: str) -> str:
        """The name of the axis with these steps, which is made where there is none yet."""
        values = encode_float64(steps)
        name = f"{label}-{len(steps)}-{zlib.crc32(values):08x}"
        self.found.setdefault(name, ChartAxis(label=label, values=values))
        return name

    def line(self, name: str, short: ThinnedSeries, label: str, *, dashed: bool = False) -> ChartLine:
        """A line of thinned values over its axis."""
        return ChartLine(
            name=name,
            axis=self.named(short.steps, label),
            values=encode_float32(short.values),
            lows=b"" if short.lows is None else encode_float32(short.lows),
            highs=b"" if short.highs is None else encode_float32(short.highs),
            dashed=dashed,
        )


def read_line(line: ChartLine, axes: Mapping[str, ChartAxis]) -> Series:
    """The curve that a line was made of, as far as it was kept."""
    steps = np.frombuffer(axes[line.axis].values, "<f8")
    values, lows, highs = (np.frombuffer(part or line.values, "<f4") for part in (line.values, line.lows, line.highs))
    return _make_series(line.name, steps, values, lows, highs)


def read_values(name: str, values: Sequence[float], lows: Sequence[float] = (), highs: Sequence[float] = ()) -> Series:
    """Values by their place, with the extremes behind each where there are any."""
    rows = [np.asarray(part or values, dtype=np.float64) for part in (values, lows, highs)]
    return _make_series(name, np.arange(len(values), dtype=np.float64), *rows)


def _make_series(name: str, steps: Array, values: Array, lows: Array, highs: Array) -> Series:
    kept = np.isfinite(values) & np.isfinite(lows) & np.isfinite(highs)
    at, middle, low, high = (np.asarray(row, dtype=np.float64)[kept] for row in (steps, values, lows, highs))
    return Series(name, at, middle, low, high, Provenance(key=name), len(values))
