"""An actor that climbs a critic: at which critic, in which direction, and what its log-probability weighs.

The gradient at a critic that is climbed is one number in every row, `-1 / rows` for a mean, or zero where the other
of two critics is smaller. Where an action is drawn as `u = mean + std * noise`, the gradients at mean and log-std
differ by the weight of the log-probability alone: `at_mean * (u - mean) - at_log_std`, the same in every row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array

ALIKE = 1e-4
"""Gradients of a mean over a minibatch agree to 32-bit rounding."""

FEWEST = 8


@dataclass(frozen=True, slots=True, eq=False)
class CriticClimb:
    """How an actor's loss looks at a critic.

    Attributes:
        weight: times the rows of the minibatch; below 0 where the loss falls as the critic's value rises.
        share: of the rows in which this critic was asked.
    """

    weight: float
    share: float


def find_climb(asked: Array) -> CriticClimb | None:
    """The direction in which a critic is climbed; None where its gradients differ, as those of its own loss do."""
    flat = asked.reshape(len(asked), -1).sum(axis=1)
    moved = flat[flat != 0.0]
    # a square loss leaves next to no row alone, the smaller of two critics may be the other one in all of them
    if len(moved) < FEWEST and len(moved) > 0.5 * len(flat):
        return None
    middle = float(np.median(moved)) if len(moved) else 0.0
    if float(np.abs(moved - middle).max(initial=0.0)) > ALIKE * abs(middle):
        return None
    return CriticClimb(middle, float(np.mean(flat != 0.0)))


def fit_log_prob_weight(means: Array, drawn: Array, at_mean: Array, at_log_std: Array) -> tuple[float, float] | None:
    """The weight of the log-probability in an actor's loss, and how far rows are from it; None where none fits.

    Args:
        means: (n, d) of the normal distribution.
        drawn: (n, d) what was drawn from it, before any squashing.
        at_mean: (n, d) the gradient at the means, times the rows of the minibatch.
        at_log_std: (n, d) the same at the log-std.
    """
    each = at_mean * (drawn - means) - at_log_std
    known = np.isfinite(each) & (at_log_std != 0.0)
    if known.sum() < FEWEST:
        return None
    middle = float(np.median(each[known]))
    apart = float(np.median(np.abs(each[known] - middle)))
    return middle, apart / max(abs(middle), float(np.median(np.abs(at_log_std[known]))), 1e-30)
