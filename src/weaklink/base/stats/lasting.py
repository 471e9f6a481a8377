"""Whether a condition holds lastingly, as opposed to now and then."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from weaklink.base.stats.level import Array, level, noise, spread

FEWEST = 5

# times its scatter: a curve that is further away has left its level
BEYOND = 4.0


class HeldStretch(msgspec.Struct, frozen=True):
    """A stretch over which a condition held lastingly, as indices, with the median value over it.

    `to_end` says that it still held when the log ended; `share` is the part of the whole log that it covers.
    """

    start: int
    end: int
    level: float
    share: float
    to_end: bool


def find_lasting_above(values: Array, limit: float, *, share: float = 0.8, window: float = 0.2) -> HeldStretch | None:
    """The first stretch of at least `window` of the log in which `share` of the values lie above the limit."""
    return _find_stretch(values, values > limit, share, window)


def find_lasting_below(values: Array, limit: float, *, share: float = 0.8, window: float = 0.2) -> HeldStretch | None:
    """The first stretch of at least `window` of the log in which `share` of the values lie below the limit."""
    return _find_stretch(values, values < limit, share, window)


def find_first_lasting(mask: NDArray[np.bool_], *, share: float = 0.8, window: float = 0.2) -> int | None:
    """The first index from which the condition holds lastingly."""
    held = _find_stretch(mask.astype(np.float64), mask, share, window)
    return None if held is None else held.start


def find_departure(values: Array, crossed: int) -> int:
    """Where a curve that crosses a limit left the level that it had until then: a limit is crossed on the way."""
    before = values[:crossed]
    early = before[: max(len(before) // 2, 3)]
    if len(before) < FEWEST:
        return crossed
    usual, scatter = level(early), max(noise(before), spread(early))
    away = np.sign(values[crossed] - usual) * (before - usual) > BEYOND * scatter
    return int(np.flatnonzero(~away)[-1]) + 1


def _find_stretch(values: Array, mask: NDArray[np.bool_], share: float, window: float) -> HeldStretch | None:
    count = len(mask)
    width = max(FEWEST, round(window * count))
    if count < FEWEST or width > count:
        return None
    total = np.concatenate(([0], np.cumsum(mask)))
    enough = (total[width:] - total[:-width]) >= share * width
    starts = np.flatnonzero(enough)
    if not len(starts):
        return None
    breaks = np.flatnonzero(~enough[starts[0] :])
    last_window = starts[0] + (breaks[0] if len(breaks) else len(enough) - starts[0]) - 1
    inside = np.flatnonzero(mask[starts[0] : last_window + width]) + starts[0]
    start, end = int(inside[0]), int(inside[-1])
    return HeldStretch(
        start, end, level(values[start : end + 1]), (end + 1 - start) / count, last_window == count - width
    )
