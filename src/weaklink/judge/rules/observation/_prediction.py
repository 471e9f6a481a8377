"""How well numbers can be told from other numbers, measured on episodes that the fit has not seen.

Small least-squares fits on what is known, its products and waves of random direction (Rahimi and Recht, Random Features
for Large-Scale Kernel Machines, 2007). The best of them counts, so that what they cannot fit is not held against
the observation lightly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Column, Space
from weaklink.base.evidence.survey import Flags, Ints

MOST_CHOICES = 32
MOST_ACTED = 32
WAVES = 150
RIDGE = 1e-3
FURTHEST = 4.0
"""Standard deviations from the mean at which an input is cut off."""

FEW_PRODUCTS, MOST_PRODUCTS = 50, 200
"""Products of two inputs, those of the first inputs with all others before the rest."""


def encoded(columns: Sequence[Column], rows: Array) -> Array:
    """Rows as inputs: numbers as they are, choices as one flag each; choices among very many are left out."""
    parts: list[Array] = []
    for place, column in enumerate(columns[: rows.shape[1]]):
        values = rows[:, place : place + 1]
        if column.kind != "category":
            parts.append(values)
        elif column.high - column.low < MOST_CHOICES:
            parts.append((values == np.arange(column.low, column.high + 1.0)).astype(float))
    return np.concatenate(parts, axis=1) if parts else np.empty((len(rows), 0))


def scaled(rows: Array) -> Array:
    """Columns with mean 0 and spread 1, far outliers cut off; columns that do not move are left out."""
    with np.errstate(over="ignore", invalid="ignore"):
        spread = rows.std(axis=0)
        moving = np.isfinite(spread) & (spread > 1e-9)
        away = (rows[:, moving] - rows[:, moving].mean(axis=0)) / spread[moving]
        return np.asarray(np.clip(away, -FURTHEST, FURTHEST))


def costs_of(space: Space | None, actions: Array) -> Array:
    """What the cost of an action is usually made of: its entries, their sizes and their squares."""
    acted = scaled(encoded(() if space is None else space.columns, actions))[:, :MOST_ACTED]
    return np.concatenate([acted, np.abs(acted), acted**2, np.ones((len(acted), 1))], axis=1)


def beyond_fit(inputs: Array, values: Array) -> Array:
    """The values without what a straight fit of the inputs tells of them."""
    grown = inputs.T @ inputs
    grown[np.diag_indices_from(grown)] += 1e-9 * len(inputs)
    return np.asarray(values - inputs @ np.linalg.solve(grown, inputs.T @ values))


def unexplained(inputs: Array, outcomes: Array, half: Flags) -> Array:
    """For each outcome the share of its variance that the best fit leaves open in the other half of the episodes.

    About 1 means that the inputs say nothing; it can be above 1 where a fit does harm.
    """
    total = np.maximum(((outcomes - outcomes.mean(axis=0)) ** 2).sum(axis=0), 1e-300)
    left = [_left_open(features, outcomes, half) / total for features in _features(inputs)]
    return np.asarray(np.min(left, axis=0))


def halves(episodes: Ints) -> Flags | None:
    """A split of the steps by episode, every other one; None where that leaves one half almost empty."""
    half = episodes % 2 == 0
    return half if 0.2 < float(np.mean(half)) < 0.8 else None


def _features(inputs: Array) -> Iterator[Array]:
    rng = np.random.default_rng(0)
    ones = np.ones((len(inputs), 1))
    yield np.concatenate([ones, inputs], axis=1)
    width = inputs.shape[1]
    first, second = (places[:MOST_PRODUCTS] for places in np.triu_indices(width))
    squared = np.concatenate([ones, inputs, inputs[:, first] * inputs[:, second]], axis=1)
    if len(first) > FEW_PRODUCTS:  # a faint signal drowns in a fit of many terms
        yield squared[:, : 1 + width + FEW_PRODUCTS]
    yield squared
    directions = rng.normal(size=(width, WAVES)) * rng.choice((0.5, 1.0, 2.0), WAVES) / max(width, 1) ** 0.5
    yield np.concatenate([squared, np.cos(inputs @ directions + rng.uniform(0.0, 2 * np.pi, WAVES))], axis=1)


def _left_open(features: Array, outcomes: Array, half: Flags) -> Array:
    left = np.zeros(outcomes.shape[1])
    for fitted, judged in ((half, ~half), (~half, half)):
        known = features[fitted]
        grown = known.T @ known
        grown[np.diag_indices_from(grown)] += RIDGE * len(known)
        weights = np.linalg.solve(grown, known.T @ outcomes[fitted])
        left += ((outcomes[judged] - features[judged] @ weights) ** 2).sum(axis=0)
    return left
