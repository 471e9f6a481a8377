"""Losses that weigh every row of a minibatch by itself, as prioritised replay does: which targets explain them.

The gradient of a row is its weight times its error, or times the limit of a Huber loss, and nobody knows the weight.
But with the right targets every weight is above zero, and the largest of each minibatch is one and the same number,
because weights are divided by the largest of them. Wrong targets give weights of either sign, and another largest one
each time.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.action_values import OneStepFit
from weaklink.collect.monitor.reading.joined import ROUNDING
from weaklink.collect.monitor.reading.state_values import HUBER, SQUARE

DISCOUNTS = (0.99, 0.95, 0.9, 0.98, 0.97, 0.995, 0.997, 0.999, 1.0, 0.0)
"""Discounts that are tried beside the one that a trainer was set to; with the last one nothing follows."""

SCALES = (1.0, 0.0, -1.0)
"""Factors of the reward that are tried: as it is, left out, flipped."""

LIMITS = {HUBER: 1.0, SQUARE: np.inf}
"""The error from which on each loss is straight."""

FEWEST_BATCHES = 8
"""Minibatches whose largest weights must agree."""

FEWEST_TELLING = 5
"""Those of them in which the row with the largest weight must not lie beyond the limit of a Huber loss."""

FEWEST = 8
"""Rows of each of them."""

NEARLY_ALL, MOSTLY, HARDLY = 0.995, 0.75, 0.1
"""The share of rows whose weight must be above zero, of minibatches whose largest one must agree, and of those whose
largest one may be larger: where the row that has it is not known, or ends an episode, it is smaller."""

CLOSE = 0.01
"""How far largest weights may lie apart, as a share of them: errors next to nothing are known badly."""

NEARLY_CLEAR = 0.8
"""The share of rows whose error must be more than rounding."""

BETTER, FAR_BETTER = 0.5, 0.1
"""What other targets may leave of what those leave that were found before, and beside the first discount, which the
trainer may have been set to: discounts that are alike fit nearly as well."""

VARIED = 0.9
"""The share of the largest weight that a quarter of the rows must stay below: otherwise no row is weighed."""


@dataclass(frozen=True, slots=True, eq=False)
class WeighedRows:
    """Rows of several minibatches; (n,) each.

    Attributes:
        values: what the entry that is moved was.
        asked: the gradient at it, times the rows of its minibatch.
        rewards: of the row's step.
        ended: whether its episode ended with it; such rows are judged once all others are explained.
        batches: the number of the minibatch.
    """

    values: Array
    asked: Array
    rewards: Array
    ended: Array
    batches: Array

    def take(self, kept: Array) -> WeighedRows:
        """Some of the rows."""
        return WeighedRows(*(getattr(self, name)[kept] for name in self.__slots__))


def fit_weighed(
    rows: WeighedRows, following: Mapping[str, Array], gammas: Sequence[float], scales: Sequence[float] = SCALES
) -> OneStepFit | None:
    """The targets that explain rows with a weight of their own; None where none do, or where all weights are alike.

    Args:
        rows: of all minibatches.
        following: (n,) next values by name, the right ones first.
        gammas: discounts that are tried.
        scales: factors of the reward that are tried.
    """
    inner = ~rows.ended & np.isfinite(rows.values) & np.isfinite(rows.rewards) & (rows.asked != 0.0)
    part = rows.take(inner)
    names, counts = np.unique(part.batches, return_counts=True)
    if len(names) < FEWEST_BATCHES or counts.min() < FEWEST:
        return None
    best: OneStepFit | None = None
    for name, gamma, scale in itertools.product(following, gammas, scales):
        targets = scale * rows.rewards + gamma * following[name]
        for loss, weight, left in _list_losses(part, targets[inner]):
            # of those that fit as well, the one named first
            if best is None or left < (FAR_BETTER if best.gamma == gammas[0] else BETTER) * best.unexplained:
                kept = np.where(rows.ended, np.nan, targets)
                best = OneStepFit(name, weight, gamma, None, kept, left, 0.0, loss, scale)
    return None if best is None else _add_ends(rows, best, following[best.source])


def _list_losses(part: WeighedRows, targets: Array) -> Iterator[tuple[str, float, float]]:
    """The losses of which the targets are right, with the largest weight and how far minibatches are from it."""
    errors = part.values - targets
    if not np.isfinite(errors).all():
        return
    rounding = 8.0 * ROUNDING * (np.abs(part.values) + np.abs(targets))
    clear = np.abs(errors) > rounding / CLOSE
    if np.mean((part.asked * errors > 0.0)[clear]) < NEARLY_ALL or clear.mean() < NEARLY_CLEAR:
        return
    names = np.unique(part.batches)
    for loss, limit in LIMITS.items():
        weights = np.divide(part.asked, np.clip(errors, -limit, limit), where=clear, out=np.zeros_like(errors))
        first = [int(np.argmax(np.where(part.batches == name, weights, -np.inf))) for name in names]
        largest, inside = weights[first], np.abs(errors[first]) < limit
        middle = float(np.median(largest))
        agree = np.abs(largest - middle) <= CLOSE * middle
        # a row beyond the limit has its weight for a gradient, whatever its target
        tells = agree & inside
        larger = float(np.mean(largest > middle * (1.0 + CLOSE)))
        if agree.mean() < MOSTLY or larger > HARDLY or tells.sum() < FEWEST_TELLING:
            continue
        if float(np.quantile(weights, 0.25)) < VARIED * middle:
            yield loss, middle, float(np.mean(np.abs(largest - middle)[tells])) / middle


def _add_ends(rows: WeighedRows, fit: OneStepFit, following: Array) -> OneStepFit:
    """The fit with targets of rows at ends: of nothing and the next value the one that leaves a weight that can be."""
    gamma = fit.gamma or DISCOUNTS[0]
    rewards = fit.scale * rows.rewards
    choices = [rewards, rewards + gamma * following]
    possible = [_is_possible(rows, each, fit) for each in choices]
    alone = [possible[0] & ~possible[1], possible[1] & ~possible[0]]
    ends = np.where(alone[0], choices[0], np.where(alone[1], choices[1], np.nan))
    return replace(fit, targets=np.where(rows.ended, ends, fit.targets))


def measure_weights(rows: WeighedRows, fit: OneStepFit) -> tuple[Array, Array]:
    """(n,) the weight of each row beside the largest one, and the errors that tell it."""
    errors = rows.values - fit.targets
    limit = LIMITS[fit.loss]
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = rows.asked / np.clip(errors, -limit, limit) / fit.weight
    return np.where(np.isfinite(weights), weights, np.nan), errors


def _is_possible(rows: WeighedRows, targets: Array, fit: OneStepFit) -> Array:
    limit = LIMITS[fit.loss]
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = rows.asked / np.clip(rows.values - targets, -limit, limit)
    return np.asarray(np.isfinite(weights) & (weights > 0.0) & (weights <= fit.weight * (1.0 + CLOSE)))
