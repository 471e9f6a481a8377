"""Columns of what a network is given that are columns of the tape, scaled and moved, in whatever order of rows.

Trainers divide velocities by their limit, centre, normalise, and draw rows at random. The numbers of a column are then
a part of the tape's, moved and stretched: the smallest and the largest of them are two of the tape's own, and when the
right two are taken all others fall on numbers of the tape as well. By chance hardly any does.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.rollout import Array

FEWEST = 16
"""Different numbers that a column must have: fewer fit anywhere."""

FITTING = 0.8
"""The share of numbers that must fall on one of the tape; the others may have been clipped, or never collected."""

PROBED = 4
"""Numbers by which a pair of ends is tried before all of them are."""

ROUNDING = 4e-7
"""How far a number may lie from its place, as a share of the largest of its column: roundings of single precision."""

MOST_BY_CHANCE = 0.2
"""The share of numbers that may fall on one of the tape by chance; a longer tape tells nothing in this way."""

CLIPPED, DEEPEST = 64, 256
"""How far from an end of the tape's numbers the end of a column is looked for: at least, for outer ones may have been
clipped, and at most."""

MOST_TRIED = 256
"""Pairs of ends that all numbers are tried with; where more are left, nothing tells them apart."""

MOST_COLUMNS, GIVEN_UP = 16, 4
"""Columns that are enough to know a row by, and columns without a place after which there is no hope for others."""


class ColumnFit(NamedTuple):
    """A column of the tape that gives one of the inputs: times the scale, plus the offset."""

    column: int
    scale: float
    offset: float

    def apply(self, table: Array) -> Array:
        """What the inputs should be."""
        return np.asarray(table[:, self.column].astype(np.float64) * self.scale + self.offset)


def fit_columns(inputs: Array, table: Array) -> dict[int, ColumnFit]:
    """The columns of the inputs that are found in the table, at the same place or counted from the other end."""
    found: dict[int, ColumnFit] = {}
    unique = np.unique(inputs, axis=0).astype(np.float64)
    shifts = dict.fromkeys((0, inputs.shape[1] - table.shape[1]))
    lost = 0
    for column in range(inputs.shape[1]):
        if len(found) >= MOST_COLUMNS or (lost >= GIVEN_UP and not found):
            break
        places = [place for shift in shifts if 0 <= (place := column - shift) < table.shape[1]]
        fits = ((place, fit_column(unique[:, column], table[:, place])) for place in places)
        fit = next((ColumnFit(place, *line) for place, line in fits if line is not None), None)
        if fit is None:
            lost += 1
        else:
            found[column] = fit
    return found


def fit_column(given: Array, real: Array) -> tuple[float, float] | None:
    """The scale and offset by which numbers of the tape give those of a column; None where there are none."""
    wanted, known = np.unique(given), np.unique(real.astype(np.float64))
    if min(len(wanted), len(known)) < FEWEST:
        return None
    allowed = ROUNDING * (float(np.abs(wanted).max()) + float(np.ptp(wanted)))
    if 2.0 * allowed * len(known) > MOST_BY_CHANCE * float(np.ptp(wanted)):
        return None
    if _count_fitting(wanted, known, allowed, (1.0, 0.0)) >= FITTING:
        return 1.0, 0.0
    ends = (wanted, wanted[1:-1])  # the outermost numbers may have been clipped
    tries = (_fit_ends(each, known, allowed, falling=falling) for falling in (False, True) for each in ends)
    return next((line for line in tries if line is not None), None)


def _fit_ends(wanted: Array, known: Array, allowed: float, *, falling: bool) -> tuple[float, float] | None:
    """The scale and offset by which two of the tape's numbers near its ends give the smallest and the largest one."""
    depth = min(DEEPEST, len(known) // 2, CLIPPED + 4 * len(known) // len(wanted))
    low, high = np.meshgrid(known[:depth], known[len(known) - depth :])
    sources = (high, low) if falling else (low, high)
    scales = np.ravel((wanted[-1] - wanted[0]) / (sources[1] - sources[0]))
    offsets = wanted[0] - scales * np.ravel(sources[0])
    for place in np.linspace(0, len(wanted) - 1, PROBED + 2).astype(int)[1:-1]:  # each leaves a few of a thousand
        near = _measure_distances((wanted[place] - offsets) / scales, known) * np.abs(scales) <= allowed
        if near.any():
            scales, offsets = scales[near], offsets[near]
    if len(scales) > MOST_TRIED:
        return None
    lines = [(float(scale), float(offset)) for scale, offset in zip(scales, offsets, strict=True)]
    shares = [_count_fitting(wanted, known, allowed, line) for line in lines]
    return lines[int(np.argmax(shares))] if max(shares) >= FITTING else None


def _count_fitting(wanted: Array, known: Array, allowed: float, line: tuple[float, float]) -> float:
    """The share of numbers that a line makes of known ones."""
    scale, offset = line
    return float(np.mean(_measure_distances((wanted - offset) / scale, known) * abs(scale) <= allowed))


def _measure_distances(numbers: Array, known: Array) -> Array:
    """How far each number lies from the nearest known one; these are in order."""
    after = np.clip(np.searchsorted(known, numbers), 1, len(known) - 1)
    return np.asarray(np.minimum(np.abs(known[after] - numbers), np.abs(known[after - 1] - numbers)))
