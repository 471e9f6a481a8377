"""How well some numbers predict others, measured on held-out episodes.

Small ridge regressions on the inputs, their products and random Fourier features (Rahimi and Recht, Random Features for
Large-Scale Kernel Machines, 2007). The best of them counts, so that a poor fit is not blamed on the observation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Column, Space
from weaklink.base.evidence.survey import Flags, Ints

MOST_CHOICES = 32  # a category of more values would take more features than a fit of a few thousand rows can use

MOST_ACTED = 32  # action inputs of which the cost is fitted; three features each

WAVES = 150  # random Fourier features: few beside the 500 rows of the smallest fit

# times the number of rows, for inputs of standard deviation 1: keeps the fit solvable and hardly shrinks it
RIDGE = 1e-3

FURTHEST = 4.0  # standard deviations from the mean at which an input is clipped

# products of two inputs; those of the first inputs with all others come before the rest
FEW_PRODUCTS, MOST_PRODUCTS = 50, 200


def encode(columns: Sequence[Column], rows: Array) -> Array:
    """Rows as inputs: numbers as they are, categories one-hot; categories of very many values are left out."""
    parts: list[Array] = []
    for place, column in enumerate(columns[: rows.shape[1]]):
        values = rows[:, place : place + 1]
        if column.kind != "category":
            parts.append(values)
        elif column.high - column.low < MOST_CHOICES:
            parts.append((values == np.arange(column.low, column.high + 1.0)).astype(float))
    return np.concatenate(parts, axis=1) if parts else np.empty((len(rows), 0))


def standardise_columns(rows: Array) -> Array:
    """Columns with mean 0 and standard deviation 1, outliers clipped; constant columns are left out."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = rows.std(axis=0)
        moving = np.isfinite(spread) & (spread > 1e-9)
        away = (rows[:, moving] - rows[:, moving].mean(axis=0)) / spread[moving]
        return np.asarray(np.clip(away, -FURTHEST, FURTHEST))


def make_cost_features(space: Space | None, actions: Array) -> Array:
    """The usual terms of an action cost: its entries, their absolute values and their squares."""
    acted = standardise_columns(encode(() if space is None else space.columns, actions))[:, :MOST_ACTED]
    return np.concatenate([acted, np.abs(acted), acted**2, np.ones((len(acted), 1))], axis=1)


def subtract_fit(inputs: Array, values: Array) -> Array:
    """The residuals of the values after a linear fit on the inputs."""
    grown = inputs.T @ inputs
    grown[np.diag_indices_from(grown)] += 1e-9 * len(inputs)
    return np.asarray(values - inputs @ np.linalg.solve(grown, inputs.T @ values))


def measure_unexplained(inputs: Array, outcomes: Array, half: Flags) -> Array:
    """For each outcome the share of its variance that the best fit leaves unexplained on the held-out half.

    About 1 means that the inputs predict nothing; it exceeds 1 where a fit does harm.
    """
    total = np.maximum(((outcomes - outcomes.mean(axis=0)) ** 2).sum(axis=0), 1e-300)
    left = [_sum_residuals(features, outcomes, half) / total for features in _make_features(inputs)]
    return np.asarray(np.min(left, axis=0))


def split_episodes(episodes: Ints) -> Flags | None:
    """Splits the steps by episode, every other one; None where one half would be almost empty."""
    half = episodes % 2 == 0
    return half if len(half) and 0.2 < float(np.mean(half)) < 0.8 else None


def _make_features(inputs: Array) -> Iterator[Array]:
    rng = np.random.default_rng(0)
    ones = np.ones((len(inputs), 1))
    yield np.concatenate([ones, inputs], axis=1)
    width = inputs.shape[1]
    first, second = (places[:MOST_PRODUCTS] for places in np.triu_indices(width))
    squared = np.concatenate([ones, inputs, inputs[:, first] * inputs[:, second]], axis=1)
    if len(first) > FEW_PRODUCTS:  # a weak signal is lost in a fit of many terms
        yield squared[:, : 1 + width + FEW_PRODUCTS]
    yield squared
    directions = rng.normal(size=(width, WAVES)) * rng.choice((0.5, 1.0, 2.0), WAVES) / max(width, 1) ** 0.5
    yield np.concatenate([squared, np.cos(inputs @ directions + rng.uniform(0.0, 2 * np.pi, WAVES))], axis=1)


def _sum_residuals(features: Array, outcomes: Array, half: Flags) -> Array:
    left = np.zeros(outcomes.shape[1])
    for fit_memory, judged in ((half, ~half), (~half, half)):
        known = features[fit_memory]
        grown = known.T @ known
        grown[np.diag_indices_from(grown)] += RIDGE * len(known)
        weights = np.linalg.solve(grown, known.T @ outcomes[fit_memory])
        left += ((outcomes[judged] - features[judged] @ weights) ** 2).sum(axis=0)
    return left
