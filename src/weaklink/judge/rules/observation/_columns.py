"""The observation columns of a survey over all of its plays, and how messages name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Play, Survey

DEAD = 1e-6  # a standard deviation below which a column is constant: above the rounding of float32, below any sensor

MOST_NAMED = 6  # columns that a message names before it counts the rest


@dataclass(frozen=True)
class ColumnStatistics:
    """The standard deviation, minimum and maximum of each column over every observation that was kept.

    NaN and infinities are left out; where a column never held a finite number, all three are NaN.
    """

    steps: int
    std: Array
    least: Array
    most: Array


class KeptObservations(NamedTuple):
    """The observations of one play, and the next observation of each."""

    policy: str
    play: Play
    before: Array
    after: Array


def list_plays(survey: Survey) -> list[KeptObservations]:
    """The plays whose observations were kept."""
    return [
        KeptObservations(name, play, play.observations, play.successors)
        for name, play in survey.plays.items()
        if play.observations is not None and play.successors is not None and len(play.observations)
    ]


def measure_columns(survey: Survey) -> ColumnStatistics | None:
    """Measures the columns over all plays; None where no observation was kept."""
    blocks = [each.before for each in list_plays(survey)]
    width = min((block.shape[1] for block in blocks), default=0)
    if not width:
        return None
    base = np.nan_to_num(blocks[0][0, :width], posinf=0.0, neginf=0.0)
    count, total, square = np.zeros(width), np.zeros(width), np.zeros(width)
    least, most = np.full(width, np.inf), np.full(width, -np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        for block in blocks:
            finite = np.isfinite(block[:, :width])
            count += finite.sum(axis=0)
            # relative to its own first value, a column that never moves sums to exactly 0
            total += np.where(finite, block[:, :width] - base, 0.0).sum(axis=0)
            least = np.minimum(least, np.where(finite, block[:, :width], np.inf).min(axis=0))
            most = np.maximum(most, np.where(finite, block[:, :width], -np.inf).max(axis=0))
        some = np.maximum(count, 1.0)
        for block in blocks:
            away = block[:, :width] - base - total / some
            square += np.where(np.isfinite(block[:, :width]), away**2, 0.0).sum(axis=0)
        std = np.sqrt(square / some)
    seen = count > 0
    return ColumnStatistics(
        steps=sum(len(block) for block in blocks),
        std=np.where(seen, np.where(np.isnan(std), np.inf, std), np.nan),
        least=np.where(seen, least, np.nan),
        most=np.where(seen, most, np.nan),
    )


def label_column(survey: Survey, column: int) -> str:
    """The label of a column that was kept."""
    labels = survey.labels
    return labels[column] if column < len(labels) else f"observation[{column}]"


def list_columns(survey: Survey, columns: Sequence[int]) -> str:
    """Lists columns by their labels, adjacent ones as a range; where there are many, counts the rest."""
    runs = group_adjacent(columns)
    words = [
        label_column(survey, first)
        if first == last
        else f"{label_column(survey, first)} to {label_column(survey, last)}"
        for first, last in runs[:MOST_NAMED]
    ]
    left = sum(last - first + 1 for first, last in runs[MOST_NAMED:])
    return ", ".join(words) + (f" and {left:,} more" if left else "")


def group_adjacent(columns: Sequence[int]) -> list[tuple[int, int]]:
    """Groups adjacent columns: the first and last of each run."""
    runs: list[tuple[int, int]] = []
    for column in sorted(columns):
        if runs and column == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], column)
        else:
            runs.append((column, column))
    return runs


def read_bounds(survey: Survey) -> tuple[Array, Array]:
    """The declared bounds of the columns that were kept."""
    bounds = np.array([(column.low, column.high) for column in survey.columns]).reshape(-1, 2)
    return bounds[:, 0], bounds[:, 1]


def write_tuple(values: Array, most: int = MOST_NAMED) -> str:
    """Writes the first few numbers in brackets."""
    flat = np.asarray(values, dtype=float).reshape(-1)
    words = [f"{value:.4g}" for value in flat[:most]]
    return f"({', '.join(words)}{', ...' if len(flat) > most else ''})"
