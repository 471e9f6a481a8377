"""A head of means: which action its loss scores, with which weight a row.

The gradient at the mean of a normal distribution is `-weight * (action - mean) / std**2` in every dimension, with one
weight a row. That at its log-std is `-weight * (z**2 - 1) - entropy_weight`, whose last part is the entropy bonus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.densities import gaussian_log_prob

FEWEST_AT_BOUND = 2
"""An extreme that repeats to the last digit is a bound at which actions were clipped."""

STRAIGHT = 1e-4
"""How far a gradient may point beside the action, as a share of it: single precision, less what is lost close to the
mean."""


AGREE, NOTHING = 0.1, 1e-5
"""How far the entropy bonus of two dimensions may differ: by a share of it, and by next to nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class GaussianFit:
    """What a loss asked of the means.

    Attributes:
        weights: (n,) how strongly the action is made likelier, times the rows of the minibatch.
        log_probs: (n,) of the action.
        inside: (n,) whether the action lies inside all bounds, so that the scored action is known.
        straight: (n,) whether the gradient points along the action exactly; never with a single dimension, where any
            does.
        unexplained: the root mean square that is left of the gradients of those rows, relative to theirs; None
            with a single dimension, where any action fits.
        entropy_weight: of the bonus; None where the log-std gets no gradient of its own.
    """

    weights: Array
    log_probs: Array
    inside: Array
    straight: Array
    unexplained: float | None
    entropy_weight: float | None = None


def fit_gaussian(
    means: Array, asked: Array, std: Array, actions: Array, asked_of_log_std: Array | None = None
) -> GaussianFit:
    """Reads one action a row.

    Args:
        means: (n, d).
        asked: (n, d) the gradient at them, times the rows of its minibatch.
        std: (n, d) or (d,).
        actions: (n, d) what the environment was given.
        asked_of_log_std: (n, d) the gradient at the log-std of each row, times the rows of its minibatch.
    """
    std = np.broadcast_to(std, means.shape)
    direction = (actions - means) / std**2
    square = np.maximum(np.sum(direction**2, axis=1), 1e-30)
    weights = -np.sum(asked * direction, axis=1) / square
    left = asked + weights[:, None] * direction
    inside = find_inside(actions)
    whole = float(np.sum(asked[inside] ** 2))
    unexplained = None
    if means.shape[1] > 1 and whole > 0.0:
        unexplained = float(np.sqrt(np.sum(left[inside] ** 2) / whole))
    bonus = None
    if asked_of_log_std is not None and inside.any():
        bonus = fit_entropy(weights, (actions - means) / std, asked_of_log_std, inside)
    return GaussianFit(
        weights=weights,
        log_probs=gaussian_log_prob(actions, means, std),
        inside=inside,
        straight=(np.abs(left).max(axis=1) < STRAIGHT * np.abs(asked).max(axis=1)) & (means.shape[1] > 1),
        unexplained=unexplained,
        entropy_weight=bonus,
    )


def find_inside(actions: Array) -> Array:
    """The rows without a dimension at a bound, seen by an extreme that repeats."""
    at_bound = np.zeros(actions.shape, bool)
    for end in (actions.min(axis=0), actions.max(axis=0)):
        there = actions == end
        at_bound |= there & (there.sum(axis=0) >= FEWEST_AT_BOUND)
    return np.asarray(~at_bound.any(axis=1))


def undo_stretching(actions: Array) -> list[Array]:
    """The actions between -1 and 1, where both bounds of every dimension show; an empty list where they do not."""
    low, high = actions.min(axis=0), actions.max(axis=0)
    often = [(actions == end).sum(axis=0) >= FEWEST_AT_BOUND for end in (low, high)]
    if not np.all(often) or np.all((low == -1.0) & (high == 1.0)) or np.any(low >= high):
        return []
    return [2.0 * (actions - low) / (high - low) - 1.0]


def fit_entropy(weights: Array, z: Array, asked: Array, inside: Array) -> float | None:
    """The weight of the entropy bonus: what the gradients at the log-std have in common beyond the weights."""
    rest = (asked + weights[:, None] * (z**2 - 1.0))[inside]
    middle = float(np.median(rest))
    # one bonus for all rows and dimensions, or it is something else
    return -middle if float(np.median(np.abs(rest - middle))) <= 1e-3 * (1e-3 + float(np.abs(asked).max())) else None


def fit_shared_entropy(weights: Array, z: Array, gradient: Array) -> float | None:
    """The same where one log-std serves all rows, from one minibatch without clipped actions.

    None where dimensions do not agree: actions of a spread far below their size are known to a few digits only.

    Args:
        weights: (n,) times the rows of the minibatch.
        z: (n, d) the actions in standard deviations from their means.
        gradient: (d,) at the log-std itself.
    """
    rest = gradient + np.mean(weights[:, None] * (z**2 - 1.0), axis=0)
    middle = float(np.median(rest))
    return -middle if float(np.ptp(rest)) <= AGREE * abs(middle) + NOTHING else None
