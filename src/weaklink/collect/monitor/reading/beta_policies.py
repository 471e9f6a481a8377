"""A head of two numbers a dimension that a Beta distribution is made of: which action its loss scores, how strongly.

With `alpha` and `beta` of an action `x` between 0 and 1, `digamma(alpha + beta) - digamma(alpha) + log x` is the slope
of its log-probability along `alpha`, and likewise along `beta` with `1 - x`. Both numbers are made of the outputs by a
softplus or an exponential, with a number added that keeps them above 0 or 1: the reading that leaves nothing is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.recovered import BETA, RecoveredPolicy
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.base.reference.gammas import digamma, log_gamma, trigamma
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.policies import (
    add_name,
    add_ratios,
    complete,
    drop_ratios,
    explain,
    keep_known,
    list_silent,
)
from weaklink.collect.monitor.reading.ratios import measure_ratios, name_ratio
from weaklink.collect.monitor.reading.tape_rows import TakenActions, read_acting, sees_as_acted
from weaklink.collect.monitor.reading.weights import WeightRows

ADDED = (1.0, 0.0, 1e-3, 1e-2, 0.1, 0.5, 2.0, 1e-4, 1e-5, 1e-6)
"""What is added to keep both numbers apart from 0, or above 1, where the density has one peak."""

EXPLAINED = 1e-3
"""What the right reading may leave of the gradients, in single precision; wrong ones leave far more."""

FEWEST, MOSTLY = 32, 0.5
"""Rows with an action inside of its bounds that must tell, and their share: a Beta distribution never draws a bound."""


@dataclass(frozen=True, slots=True)
class BetaForm:
    """How outputs become the two numbers: `softplus` or else the exponential, and a number added."""

    softplus: bool
    added: float

    def make(self, outputs: Array) -> tuple[Array, Array]:
        """Both numbers side by side, and their slopes along the outputs."""
        if self.softplus:
            return np.logaddexp(0.0, outputs) + self.added, np.asarray(0.5 + 0.5 * np.tanh(0.5 * outputs))
        grown = np.exp(np.minimum(outputs, 50.0))
        return grown + self.added, grown


@dataclass(frozen=True, slots=True, eq=False)
class BetaFit:
    """What a loss asked of the outputs: (n,) the weight of each row, that of the entropy bonus, and what is left."""

    form: BetaForm
    weights: Array
    entropy_weight: float
    unexplained: float


def recover_beta(
    reading: UpdateReading, calls: Sequence[HeadCall], taken: TakenActions, advantages: Sequence[Array]
) -> RecoveredPolicy | None:
    """Reads a head with two numbers for each dimension of an action; None where they make no Beta distribution."""
    everything = join_calls(calls)
    joined, bounds, width = keep_known(everything), reading.tape.bounds, taken.table.shape[1]
    if joined.outputs.shape[1] != 2 * width or bounds is None or not np.isfinite(bounds).all():
        return None
    if np.any(bounds[0] >= bounds[1]):
        return None
    actions = (taken.table[joined.rows] - bounds[0]) / (bounds[1] - bounds[0])
    inside = np.all((actions > 0.0) & (actions < 1.0), axis=1)
    if inside.sum() < max(FEWEST, MOSTLY * len(inside)):
        return None
    joined, actions = joined.take(inside), actions[inside]
    fit = fit_beta(joined.outputs, joined.asked, actions)
    if fit is None:
        return None
    before, new = read_acting(reading, calls[0].head), score_beta(fit.form, joined.outputs, actions)
    old = np.full(len(new), np.nan)
    if before is not None and before.shape[1] == joined.outputs.shape[1]:
        old = score_beta(fit.form, before[joined.rows], actions)
    seen = WeightRows(joined.rows, joined.batches, fit.weights, np.zeros(len(new)), new - old, joined.steps)
    explained = explain(seen, advantages)
    found = RecoveredPolicy(
        head=calls[0].head,
        kind=BETA,
        compared=len(new),
        unexplained=fit.unexplained,
        entropy_weight=fit.entropy_weight,
    )
    found = add_ratios(found, measure_ratios(seen, explained, advantages))
    found = add_name(found, name_ratio(seen, new, explained, advantages, width))
    found = complete(found, seen, list_silent(everything), explained, advantages)
    return found if sees_as_acted(reading, found.head) else drop_ratios(found)


def fit_beta(outputs: Array, asked: Array, actions: Array) -> BetaFit | None:
    """The form, weights and bonus that leave nothing of the gradients; None where every form leaves something.

    Args:
        outputs: (n, 2 d) what alphas are made of, then what betas are.
        asked: (n, 2 d) the gradient at them, times the rows of the minibatch.
        actions: (n, d) between 0 and 1.
    """
    fits = (_fit_form(form, outputs, asked, actions) for form in _list_forms())
    best = min(fits, key=lambda fit: fit.unexplained)
    return best if best.unexplained < EXPLAINED else None


def score_beta(form: BetaForm, outputs: Array, actions: Array) -> Array:
    """(n,) the log-density of actions between 0 and 1."""
    alpha, beta = np.split(form.make(outputs)[0], 2, axis=1)
    logs = (
        (alpha - 1.0) * np.log(actions)
        + (beta - 1.0) * np.log1p(-actions)
        - (log_gamma(alpha) + log_gamma(beta) - log_gamma(alpha + beta))
    )
    return np.asarray(logs.sum(axis=1))


def _list_forms() -> Iterator[BetaForm]:
    for added in ADDED:
        yield BetaForm(True, added)
        yield BetaForm(False, added)


def _fit_form(form: BetaForm, outputs: Array, asked: Array, actions: Array) -> BetaFit:
    both, slopes = form.make(outputs)
    alpha, beta = np.split(both, 2, axis=1)
    whole = alpha + beta
    scored = slopes * np.concatenate(
        [digamma(whole) - digamma(alpha) + np.log(actions), digamma(whole) - digamma(beta) + np.log1p(-actions)], axis=1
    )
    shared = (whole - 2.0) * trigamma(whole)
    spread = slopes * np.concatenate(
        [shared - (alpha - 1.0) * trigamma(alpha), shared - (beta - 1.0) * trigamma(beta)], axis=1
    )
    square = np.maximum(np.sum(scored**2, axis=1, keepdims=True), 1e-30)

    def leave(rows: Array) -> Array:
        return np.asarray(rows - scored * np.sum(rows * scored, axis=1, keepdims=True) / square)

    left, column = leave(asked), leave(spread)
    size = float(np.sum(column**2))
    bonus = -float(np.sum(left * column)) / size if size > 1e-30 else 0.0
    rest = asked + bonus * spread
    weights = -np.sum(rest * scored, axis=1) / square[:, 0]
    missed = float(np.sum((rest + weights[:, None] * scored) ** 2)) / max(float(np.sum(asked**2)), 1e-30)
    return BetaFit(form, np.asarray(weights), bonus, float(np.sqrt(missed)))
