"""Columns that have no part in the state: a clock of the episode, and noise that is drawn anew at every step."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Flags, Ints

FEWEST_STEPS = 200
DISTINCT = 0.9  # of the steps: noise hardly ever takes a value twice
BY_CHANCE = 4.0  # standard errors of a correlation: less than once in ten thousand times


def mark_foreign(rows: Array, times: Ints) -> Flags:
    """Which columns of what was seen after each step are told by the time alone, or by nothing at all.

    Args:
        rows: what was seen after each step of random play.
        times: the number of each step within its episode.
    """
    none = np.zeros(rows.shape[1], dtype=bool)
    if len(rows) < FEWEST_STEPS or len(rows) != len(times) or not np.isfinite(rows).all():
        return none
    return np.array([_is_clock(column, times) or _is_noise(rows, place) for place, column in enumerate(rows.T)])


def _is_clock(column: Array, times: Ints) -> bool:
    """Whether it moves, and is the same at the same time of every episode, of which there are two or more."""
    first = np.full(int(times.max()) + 1, np.nan)
    first[times[::-1]] = column[::-1]
    again = int(np.count_nonzero(np.bincount(times) > 1))
    return 2 * again > len(first) and bool(np.ptp(column) > 0 and np.all(column == first[times]))


def _is_noise(rows: Array, place: int) -> bool:
    """Whether neither its own past nor any other column, now, before, after or in its changes, has to do with it."""
    column = rows[:, place]
    if len(np.unique(column)) < DISTINCT * len(column):
        return False
    others = np.delete(rows, place, axis=1)
    pairs = [(column[1:], column[:-1, None]), (column[2:], column[:-2, None]), (column[1:], others[:-1])]
    pairs += [(column[1:], np.diff(others, axis=0)), (column[:-1], np.diff(others, axis=0))]
    pairs += [(column, others), (np.abs(column - column.mean()), others), (column[:-1], others[1:])]
    return all(_measure_strongest(one, many) < BY_CHANCE / np.sqrt(len(one)) for one, many in pairs)


def _measure_strongest(one: Array, many: Array) -> float:
    """The largest correlation of a column with any of many."""
    spread = many.std(axis=0)
    many, spread = many[:, spread > 0], spread[spread > 0]
    if not many.shape[1] or not one.std() > 0:
        return 0.0
    together = (one - one.mean()) @ (many - many.mean(axis=0)) / len(one)
    return float(np.abs(together / (spread * one.std())).max())
