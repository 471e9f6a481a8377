"""A line that most rows follow, by least absolute errors: rows that follow something else do not pull it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.joined import ROUNDING

VISIBLE = 1e-3
"""Differences below this share of the spread of the targets do not count."""

FEWEST = 16
"""Fewer rows than this fit two numbers by chance."""

ROUNDS = 20
"""Rounds of reweighting; each brings the line closer to the one that most rows follow."""

FEWEST_ROUNDS, STUCK = 4, 0.95
"""Rounds after which a line that most rows follow gets closer to them in every round."""

MOST_OFF = 0.25
"""Ends of episodes may be treated in another way, all else must follow: no usual task ends every fourth step."""


def measure_spread(numbers: Array) -> float:
    """The standard deviation of the numbers that are known."""
    known = numbers[np.isfinite(numbers)]
    return float(known.std()) if known.size else 0.0


def are_standardised(numbers: Array) -> bool:
    """Whether the numbers of a batch have a mean of 0 and a spread of 1."""
    known = numbers[np.isfinite(numbers)]
    return len(known) >= FEWEST and abs(float(known.mean())) < 0.01 and abs(float(known.std()) - 1.0) < 0.01


def measure_rounding(table: Array, wanted: Array) -> float:
    """The rounding error of a sum of a few 32-bit numbers of this size."""
    largest = max(float(np.abs(table).max(initial=0.0)), float(np.abs(wanted).max(initial=0.0)))
    return 64 * ROUNDING * largest


def fit_mostly(table: Array, wanted: Array, allowed: float) -> tuple[Array, Array] | None:
    """The factors that most rows follow, and what each row leaves; None where too many do not.

    Args:
        table: (n, k) a column for each factor.
        wanted: (n,) what the columns add up to.
        allowed: by how much a row that follows may be off.
    """
    scale = np.maximum(np.sqrt(np.mean(table**2, axis=0)), 1e-30)
    units = table / scale
    factors, *_ = np.linalg.lstsq(units, wanted, rcond=1e-12)
    left = np.abs(wanted - units @ factors)
    most = int((1.0 - MOST_OFF) * (len(wanted) - 1))
    before = np.inf
    for turn in range(ROUNDS):
        if np.all(left <= allowed):
            break
        weighed = units / np.maximum(left, 0.1 * allowed + 1e-30)[:, None]
        square = weighed.T @ units
        square.flat[:: len(square) + 1] += 1e-12 * square.trace()
        factors = np.linalg.solve(square, weighed.T @ wanted)
        left = np.abs(wanted - units @ factors)
        now = float(np.partition(left, most)[most])
        if turn >= FEWEST_ROUNDS and now > allowed and now > STUCK * before:
            return None
        before = now
    kept = left <= allowed
    if kept.sum() < max(FEWEST, (1.0 - MOST_OFF) * len(wanted)):
        return None
    factors, *_ = np.linalg.lstsq(units[kept], wanted[kept], rcond=1e-12)
    return factors / scale, wanted - units @ factors


class ColumnLines(NamedTuple):
    """A line for each column: what it leaves is a share of the spread of what it gives, NaN where nothing moves."""

    scales: Array
    offsets: Array
    left: Array


def fit_column_lines(given: Array, made: Array) -> ColumnLines:
    """The lines by which columns give others, by least squares."""
    centres = given.mean(axis=0), made.mean(axis=0)
    moved, wanted = given - centres[0], made - centres[1]
    square = np.sum(moved**2, axis=0)
    scales = np.sum(moved * wanted, axis=0) / np.maximum(square, 1e-30)
    with np.errstate(invalid="ignore", divide="ignore"):
        left = np.sqrt(np.sum((wanted - scales * moved) ** 2, axis=0) / np.sum(wanted**2, axis=0))
    return ColumnLines(scales, centres[1] - scales * centres[0], np.where(square > 0.0, left, np.nan))
