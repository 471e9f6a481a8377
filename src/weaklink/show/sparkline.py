"""A curve in one line of text."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array, Series

Edges = NDArray[np.signedinteger]

BLOCKS = "▁▂▃▄▅▆▇█"
ASCII = "_.-=+*#@"


class Sparkline(msgspec.Struct, frozen=True):
    """The drawn curve, its lowest and highest value, and the column of the marked step if there is one."""

    drawn: str
    low: float
    high: float
    mark: int | None = None


def draw_sparkline(
    series: Series,
    width: int = 40,
    *,
    mark: float | None = None,
    unicode: bool = True,
    scale: tuple[float, float] | None = None,
) -> Sparkline | None:
    """Draws a series in at most `width` columns; None where it holds nothing.

    Each column shows, of all the points it stands for, the one furthest from the middle of the curve, so that no
    peak gets lost; the lowest and the highest value of all are always drawn. Curves to compare share a `scale`.
    """
    if not len(series):
        return None
    low, high = float(series.lows.min()), float(series.highs.max())
    edges = _find_edges(len(series), width)
    shown = _find_extremes(series.lows, series.highs, edges)
    signs = BLOCKS if unicode else ASCII
    drawn = "".join(signs[level] for level in _compute_levels(shown, *(scale or (low, high)), len(signs)))
    return Sparkline(drawn, low, high, None if mark is None else _find_column(series.steps, mark, edges))


def _find_edges(points: int, width: int) -> Edges:
    """Where each column begins among the points."""
    columns = min(points, width)
    return (np.arange(columns) * points) // columns


def _find_extremes(lows: Array, highs: Array, edges: Edges) -> Array:
    below, above = np.minimum.reduceat(lows, edges), np.maximum.reduceat(highs, edges)
    middle = float(np.sort(lows / 2 + highs / 2)[len(lows) // 2])
    shown = np.where(np.abs(above / 2 - middle / 2) >= np.abs(middle / 2 - below / 2), above, below)
    bottom, top = int(np.argmin(below)), int(np.argmax(above))
    if bottom == top and len(shown) > 1:
        bottom = top - 1 if top else 1
    shown[bottom], shown[top] = below.min(), above.max()
    return shown


def _compute_levels(values: Array, low: float, high: float, count: int) -> list[int]:
    reach = high / 2 - low / 2  # halved, so that the distance between two huge numbers stays finite
    if reach <= 0:
        return [count // 2 - 1] * len(values)
    share = (values / 2 - low / 2) / reach
    return [int(level) for level in np.clip(np.round(share * (count - 1)), 0, count - 1)]


def _find_column(steps: Array, mark: float, edges: Edges) -> int:
    point = min(int(np.searchsorted(steps, mark)), len(steps) - 1)
    return int(np.searchsorted(edges, point, side="right")) - 1
