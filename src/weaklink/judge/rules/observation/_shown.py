"""Which columns of the observation show which attribute of the environment, exactly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array

EXACT = 1e-5  # of a column's spread: single precision, and nothing that a fit could reach by chance


class ShownAttribute(NamedTuple):
    """A column that is a straight line of an attribute: `scale * attribute + shift`."""

    column: int
    attribute: int
    way: int
    scale: float
    shift: float


def list_shown(held: HeldState, values: Array) -> list[ShownAttribute]:
    """The columns of the successors that are exactly straight lines of one of these attributes."""
    found = []
    seen = held.successors
    finite = np.flatnonzero(held.finite).tolist()
    for column in range(seen.shape[1]):
        target = seen[:, column]
        if not np.isfinite(target).all() or len(np.unique(target)) < 4:
            continue
        for attribute in finite:
            for way in range(3):
                line = fit_line(_turn(values[:, attribute], way), target)
                if line is not None:
                    found.append(ShownAttribute(column, attribute, way, *line))
    return found


def fit_line(given: Array, target: Array) -> tuple[float, float] | None:
    """Scale and shift where the target is an exact straight line of what is given."""
    spread = float(np.std(given))
    if spread <= 1e-9 * (1.0 + float(np.abs(given).max())):
        return None
    centred = given - given.mean()
    scale = float(centred @ (target - target.mean())) / float(centred @ centred)
    shift = float(target.mean() - scale * given.mean())
    worst = float(np.abs(target - scale * given - shift).max())
    return (scale, shift) if worst <= 10 * EXACT * float(np.std(target)) and scale != 0 else None


def _turn(values: Array, way: int) -> Array:
    return values if way == 0 else np.sin(values) if way == 1 else np.cos(values)


def predict(values: Array, shown: ShownAttribute) -> Array:
    """What the column shows where the attributes have these values."""
    return shown.scale * _turn(values[:, shown.attribute], shown.way) + shown.shift
