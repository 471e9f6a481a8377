"""A head of value distributions: the target distribution of a categorical loss, the fit of quantiles.

A cross-entropy between a projected target and a softmax has the gradient `weight * (p - target)` at the atoms of the
action that was taken. Atoms that the target leaves empty have `weight * p`, which gives the weight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.lines import FEWEST

ONE_ACTION = 0.95
"""The share of rows that must move one action alone."""

MOST_ROWS = 64
"""Rows that tell the discount of quantiles: each of them is as many lines as it has quantiles."""

QUANTILE_LIMIT = 1.0
"""The Huber limit of quantile regression with which it is published (Dabney et al., 2018)."""


@dataclass(frozen=True, slots=True, eq=False)
class ActionBlocks:
    """How the outputs of a row divide into actions.

    Attributes:
        choices: how many actions there are.
        last: whether the actions are the inner axis.
        moved: (n,) the action whose outputs are moved, -1 where it is not one alone.
    """

    choices: int
    last: bool
    moved: Array

    def shape(self, table: Array) -> Array:
        """A table as (rows, actions, outputs of an action)."""
        if self.last:
            return np.asarray(table.reshape(len(table), -1, self.choices).swapaxes(1, 2))
        return np.asarray(table.reshape(len(table), self.choices, -1))


@dataclass(frozen=True, slots=True, eq=False)
class AtomFit:
    """What a loss asked of the atoms of one action a row.

    Attributes:
        weight: of the loss, times the rows of a minibatch.
        targets: (n, atoms) the target distribution.
        valid: the share of rows whose target is a distribution.
    """

    weight: float
    targets: Array
    valid: float


def find_blocks(asked: Array, choices: int) -> ActionBlocks | None:
    """The division into actions in which nearly every row moves one action alone; None where there is none."""
    for last in (False, True):
        parts = ActionBlocks(choices, last, np.zeros(0)).shape(asked)
        touched = np.any(parts != 0.0, axis=2)
        counts = touched.sum(axis=1)
        if counts.any() and np.mean(counts[counts > 0] == 1) >= ONE_ACTION:
            return ActionBlocks(choices, last, np.where(counts == 1, np.argmax(touched, axis=1), -1))
    return None


def fit_atoms(logits: Array, asked: Array) -> AtomFit | None:
    """Reads a categorical value distribution.

    Args:
        logits: (n, atoms) of the action that is moved.
        asked: (n, atoms) the gradient, times the rows of its minibatch.
    """
    if len(logits) < FEWEST:
        return None
    chance = np.exp(log_softmax(logits))
    if float(np.abs(asked.sum(axis=1)).max()) > 1e-3 * float(np.abs(asked).max()):
        return None
    # atoms too unlikely to divide by, and those at which a trainer clamps probabilities, tell nothing
    ratios = np.where(chance > 1e-3, asked / np.maximum(chance, 1e-30), -np.inf).max(axis=1)
    ratios = ratios[np.isfinite(ratios)]
    if not len(ratios) or float(np.median(ratios)) <= 0.0:
        return None
    weight = float(np.median(ratios))
    targets = chance - asked / weight
    return AtomFit(weight, targets, float(np.mean(targets.min(axis=1) > -1e-2)))


def compute_quantile_pull(values: Array, targets: Array) -> Array:
    """The gradient of quantile regression with a Huber loss, for one row of values against its target quantiles.

    Args:
        values: (n, m) the quantiles of the action that was taken.
        targets: (n, k) samples of the target.
    """
    count = values.shape[1]
    shares = (np.arange(count) + 0.5) / count
    errors = targets[:, None, :] - values[:, :, None]
    slopes = np.clip(errors, -QUANTILE_LIMIT, QUANTILE_LIMIT)
    weights = np.abs(shares[None, :, None] - (errors < 0.0))
    return np.asarray(-np.sum(weights * slopes, axis=2))


def fit_quantiles(
    values: Array, asked: Array, rewards: Array, ended: Array, following: Array, gammas: Array
) -> tuple[float, float, float] | None:
    """Discount, weight and what is left, of quantiles pulled towards reward + gamma * next quantiles.

    Args:
        values: (n, m) quantiles of the action that was taken.
        asked: (n, m) the gradient at them, times the rows of the minibatch.
        rewards: (n,) of the row's step.
        ended: (n,) whether the episode ended; such rows are not asked.
        following: (n, k) the quantiles of the next action.
        gammas: discounts to try first; the best is refined.
    """
    inner = np.flatnonzero(~ended)
    if len(inner) < FEWEST:
        return None
    inner = inner[np.unique(np.linspace(0, len(inner) - 1, MOST_ROWS).astype(np.int64))]

    def measure(gamma: float) -> tuple[float, float]:
        made = compute_quantile_pull(values[inner], rewards[inner, None] + gamma * following[inner])
        weight = float(np.sum(made * asked[inner])) / max(float(np.sum(made**2)), 1e-30)
        left = float(np.sum((asked[inner] - weight * made) ** 2)) / max(float(np.sum(asked[inner] ** 2)), 1e-30)
        return float(np.sqrt(left)), weight

    grid = np.asarray(gammas, float)
    for width in (0.01, 0.002, 0.0004, 0.0001):
        best = float(grid[int(np.argmin([measure(float(each))[0] for each in grid]))])
        grid = np.linspace(best - width, best + width, 9)
    left, weight = measure(best)
    return best, weight, left
