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

QUANTILE_LIMIT = 1.0
"""The Huber limit of quantile regression with which it is published (Dabney et al., 2018)."""


@dataclass(frozen=True, slots=True, eq=False)
class AtomFit:
    """What a loss asked of the atoms of one action a row.

    Attributes:
        moved: (n,) the action whose atoms are moved, -1 where it is not one alone.
        weight: of the loss, times the rows of a minibatch.
        targets: (n, atoms) the target distribution.
        valid: the share of rows whose target is a distribution.
    """

    moved: Array
    weight: float
    targets: Array
    valid: float


def fit_atoms(outputs: Array, asked: Array, actions: int) -> AtomFit | None:
    """Reads a categorical value distribution.

    Args:
        outputs: (n, actions * atoms) logits, the atoms of an action side by side.
        asked: (n, actions * atoms) the gradient, times the rows of its minibatch.
        actions: how many there are.
    """
    shape = (len(outputs), actions, -1)
    logits, pulled = outputs.reshape(shape), asked.reshape(shape)
    touched = np.any(pulled != 0.0, axis=2)
    moved = np.where(touched.sum(axis=1) == 1, np.argmax(touched, axis=1), -1)
    index = np.flatnonzero(moved >= 0)
    if len(index) < FEWEST:
        return None
    chance = np.exp(log_softmax(logits[index, moved[index]]))
    pull = pulled[index, moved[index]]
    size = float(np.abs(pull).max())
    if float(np.abs(pull.sum(axis=1)).max()) > 1e-3 * size:
        return None
    # atoms too unlikely to divide by, and those at which a trainer clamps probabilities, tell nothing
    ratios = np.where(chance > 1e-3, pull / np.maximum(chance, 1e-30), -np.inf).max(axis=1)
    ratios = ratios[np.isfinite(ratios)]
    if not len(ratios) or float(np.median(ratios)) <= 0.0:
        return None
    weight = float(np.median(ratios))
    targets = np.full((len(outputs), logits.shape[2]), np.nan)
    targets[index] = chance - pull / weight
    valid = float(np.mean(targets[index].min(axis=1) > -1e-2))
    return AtomFit(moved, weight, targets, valid)


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
    inner = ~ended
    if inner.sum() < FEWEST:
        return None

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
