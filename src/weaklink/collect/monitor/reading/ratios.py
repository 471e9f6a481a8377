"""The ratio that a policy's loss really holds, read off the weights of its rows.

A weight is an advantage times the ratio. Where it is known what the rows are weighed with, the weight of each of them
tells its ratio, and with it the log-probability that was stored for the policy that acted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.recovered import AVERAGED_NEW, AVERAGED_OLD, NO_OLD
from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.gaussian import GaussianFit
from weaklink.collect.monitor.reading.weights import (
    CONSTANT,
    EXACT,
    FIRM,
    WeightFit,
    WeightRows,
    find_advantages,
    fit_weights,
)

FEWEST = 8
"""Rows from which on it is plain what is stored for them."""

MOSTLY = 0.5
"""The share of rows at a bound that must score the action at the bound: others score what was drawn beyond it."""

MOVED, STAYS = 0.01, 0.02
"""How far the log-ratio of a row must go over the epochs, and the share of it by which its gap may move on."""

RENEWED = 0.01
"""How far ratios to the policy that acted lie from those to a later one, where they can be told apart."""

MIDDLE = (0.05, 0.95)
"""Between these quantiles lie the ratios that are told."""


@dataclass(frozen=True, slots=True, eq=False)
class FirstRatios:
    """Log-ratios of some rows before the first optimizer step and the last time, as far as the loss shows them.

    Attributes:
        first: (m,).
        last: (m,).
        used_spread: the largest distance from 1 of the ratios in the loss; 0 where it has none.
        at_bound: (m,) whether the action lies at a bound; None where no such rows are among them.
    """

    first: Array
    last: Array
    used_spread: float
    at_bound: Array | None = None


def measure_ratios(seen: WeightRows, explained: WeightFit | None, advantages: Sequence[Array]) -> FirstRatios | None:
    """Log-ratios of the rows of the first minibatch, then and the last time; and how far from 1 the loss has them.

    None where the weights do not show exactly whether they hold a ratio.
    """
    if explained is None or abs(explained.correlation) < EXACT or not np.isfinite(seen.log_ratios).all():
        return None
    plain = (fit_weights(seen, each, powers=(0,), near=np.inf) for each in advantages)
    without = any(fit is not None and abs(fit.correlation) > EXACT for fit in plain)
    if not without and explained.power != 1:
        return None
    start = seen.steps == seen.steps.min()
    rows, first = seen.rows[start], seen.log_ratios[start]
    latest = dict(zip(seen.rows.tolist(), seen.log_ratios.tolist(), strict=True))
    last = np.array([latest[row] for row in rows.tolist()])
    return FirstRatios(first, last, 0.0 if without else float(np.abs(seen.ratios - 1.0).max()))


def add_bound_ratios(
    found: FirstRatios, seen: WeightRows, fit: GaussianFit, explained: WeightFit | None, advantages: Sequence[Array]
) -> FirstRatios:
    """With the ratios of rows whose action lies at a bound, where the loss scores the action at the bound itself.

    What is above the log-ratio of both policies in the weight is the same in every epoch: the log-probability that was
    stored is another one than that of this action.
    """
    if explained is None or explained.power != 1 or fit.inside.all():
        return found
    best = find_advantages(seen.take(fit.inside), explained, advantages)
    if best is None:
        return found
    known = ~fit.inside & np.isin(seen.batches, explained.batches)
    rows = seen.take(known)
    place = np.searchsorted(explained.batches, rows.batches)
    drive = explained.slopes[place] * best[1][rows.rows] + explained.offsets[place]
    with np.errstate(invalid="ignore", divide="ignore"):
        gaps = np.log(rows.weights / drive) - rows.log_ratios
    told = np.isfinite(gaps) & (np.abs(drive) > CONSTANT * float(np.nanmedian(np.abs(drive))))
    sure = told & (fit.straight[known] | (fit.unexplained is None) & _stay(rows, gaps, told))
    names, first = np.unique(rows.rows[sure], return_index=True)
    if len(names) < FEWEST or sure.sum() < MOSTLY * told.sum():
        return found
    off, last = gaps[sure][first], (gaps + rows.log_ratios)[sure][first]
    at = np.repeat([False, True], [len(found.first), len(off)])
    return FirstRatios(np.append(found.first, off), np.append(found.last, last), found.used_spread, at)


def _stay(rows: WeightRows, gaps: Array, told: Array) -> Array:
    """Whether gaps of a row stay in every epoch while its ratio moves: the loss scores the action at the bound.

    With a single dimension any action fits one gradient, but an action beyond the bound does not fit several.
    """
    names, group = np.unique(rows.rows, return_inverse=True)
    spreads = []
    for numbers in (gaps, rows.log_ratios):
        low, high = np.full(len(names), np.inf), np.full(len(names), -np.inf)
        np.minimum.at(low, group[told], numbers[told])
        np.maximum.at(high, group[told], numbers[told])
        spreads.append(high - low)
    same = (spreads[1] > MOVED) & (spreads[0] < STAYS * spreads[1])
    return np.asarray(same[group])


def name_ratio(
    seen: WeightRows, new: Array, explained: WeightFit | None, advantages: Sequence[Array], dimensions: int
) -> tuple[str, tuple[float, float]] | None:
    """What a ratio that is none is made of, and its range before the first step; None where nothing known fits.

    Args:
        seen: the weights.
        new: (n,) log-probabilities of the actions by the policy that learns.
        explained: how the weights follow from the advantages with the right ratio.
        advantages: (rows of the tape,) each.
        dimensions: of an action.
    """
    if explained is not None and abs(explained.correlation) > FIRM:
        return None
    old = new - seen.log_ratios
    readings = {NO_OLD: new}
    if dimensions > 1:
        readings |= {AVERAGED_NEW: new / dimensions - old, AVERAGED_OLD: new - old / dimensions}
    start = seen.steps == seen.steps.min()
    for name, log_ratios in readings.items():
        rows = replace(seen, log_ratios=log_ratios)
        fits = (fit_weights(rows, each, powers=(1,), near=np.inf) for each in advantages)
        if any(fit is not None and abs(fit.correlation) > EXACT for fit in fits):
            low, high = np.quantile(rows.ratios[start], MIDDLE)
            return name, (float(low), float(high))
    return None


def measure_renewed(
    seen: WeightRows, renewed: Array, explained: WeightFit | None, advantages: Sequence[Array]
) -> tuple[float, float] | None:
    """The range of the ratios to the policy that acted, where the loss has ratios to a later policy instead.

    Args:
        seen: the weights, with the ratios to the policy that acted.
        renewed: (n,) log-ratios to what the policy answered since, NaN where it was not asked.
        explained: how the weights follow from the advantages with the ratios to the policy that acted.
        advantages: (rows of the tape,) each.
    """
    later = np.isfinite(renewed) & (np.abs(renewed - seen.log_ratios) > RENEWED)
    if later.sum() < FEWEST or (explained is not None and abs(explained.correlation) > EXACT):
        return None
    rows = replace(seen, log_ratios=np.where(np.isfinite(renewed), renewed, seen.log_ratios))
    fits = (fit_weights(rows, each, powers=(1,)) for each in advantages)
    if not any(fit is not None and abs(fit.correlation) > EXACT for fit in fits):
        return None
    low, high = np.quantile(seen.ratios[later], MIDDLE)
    return float(low), float(high)
