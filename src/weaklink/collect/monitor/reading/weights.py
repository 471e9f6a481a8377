"""What explains the weights of the rows of a policy's loss: advantages of these rows, of others, or none.

The weight of a row is its advantage, up to a scale and an offset that a minibatch shares (a normalisation), times
the ratio where the loss has one. A clipped row has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array

NEAR_ONE = 0.03
"""Ratios this close to 1 are inside any usual clip range."""

FEWEST = 32
"""Fewer rows correlate with anything."""

FREE = 16
"""Rows beyond those that a slope and an offset for each minibatch fit in any case."""

ZERO = 1e-4
"""A weight below this share of the usual one is none: the row was clipped."""

FIRM = 0.995
"""The correlation from which on weights are made of the advantages that they were compared with."""

EXACT = 1.0 - 1e-6
"""The correlation from which on they are, to a thousandth in every row."""

FEWEST_CLIPPED = 3
"""Rows beyond the clip range, on either side, from which on it is plain which lose their weight."""

FEWEST_CAPPED = 5
"""Rows without a weight before the first step that must all be those with the largest advantages."""

CONSTANT = 1e-3
"""Weights that differ by less than this share of their size are one number."""


ROUNDED, SMALL_BONUS = 1e-5, 1e-3
"""What an entropy bonus must have of the weights that are read, as a share: a hundred times their rounding; and the
weight of a bonus that must show, where none is said to be there."""


@dataclass(frozen=True, slots=True, eq=False)
class WeightRows:
    """The weights of a policy's loss, a number a row of a minibatch; see `ChoiceFit` for weight and entropy column."""

    rows: Array
    batches: Array
    weights: Array
    entropy_column: Array
    log_ratios: Array
    steps: Array

    def take(self, kept: Array) -> WeightRows:
        """Some of the rows."""
        return WeightRows(*(getattr(self, name)[kept] for name in self.__slots__))

    @property
    def ratios(self) -> Array:
        """Of the policy that learns to the one that acted."""
        return np.asarray(np.exp(np.clip(self.log_ratios, -20.0, 20.0)))


@dataclass(frozen=True, slots=True, eq=False)
class WeightFit:
    """How weights follow from advantages.

    Attributes:
        correlation: within minibatches, of weights and advantages; below 0 where the sign is flipped.
        slopes: (batches,) what the advantages are multiplied by.
        offsets: (batches,) what is added afterwards.
        entropy_weight: of the bonus, where it was told apart only here.
        power: of the ratio.
        batches: (batches,) the numbers of the minibatches that have a slope and an offset.
    """

    correlation: float
    slopes: Array
    offsets: Array
    entropy_weight: float | None
    power: float
    batches: Array


def fit_weights(
    seen: WeightRows, advantages: Array, powers: tuple[float, ...] = (1, 0, -1), near: float = NEAR_ONE
) -> WeightFit | None:
    """Explains weights by the advantages of their own rows; None where too few rows are known.

    Args:
        seen: the weights, of rows that are on the tape.
        advantages: (rows of the tape,) before any normalisation, NaN where not known.
        powers: of the ratio that are tried; a plain policy gradient has 0.
        near: how far a ratio may be from 1.
    """
    found = advantages[seen.rows]
    known = np.isfinite(found) & np.isfinite(seen.log_ratios) & (np.abs(seen.ratios - 1.0) < near)
    if known.sum() < max(FEWEST, 2 * len(np.unique(seen.batches[known])) + FREE):
        return None
    rows, found = seen.take(known), found[known]
    fits = [_fit_power(rows, found, power) for power in powers]
    return max((fit for fit in fits if fit is not None), key=lambda fit: abs(fit.correlation), default=None)


def _fit_power(seen: WeightRows, advantages: Array, power: float) -> WeightFit | None:
    names, group = np.unique(seen.batches, return_inverse=True)
    scale = seen.ratios**power
    bonus = bool(np.any(seen.entropy_column != 0.0))
    one, other = scale * advantages, scale
    weights_left, solved = _partial_out(group, len(names), one, other, seen.weights)
    entropy = None
    if bonus:
        column_left, column_solved = _partial_out(group, len(names), one, other, seen.entropy_column)
        square = float(np.sum(column_left**2))
        entropy = -float(np.sum(column_left * weights_left)) / square if square > 1e-30 else 0.0
        weights_left = weights_left + entropy * column_left
        solved = solved + entropy * column_solved
        least = ROUNDED * float(np.sum(seen.weights**2)) ** 0.5
        if abs(entropy) * square**0.5 < least:  # a policy that is sure of its choices shows no bonus at all
            entropy = 0.0 if SMALL_BONUS * square**0.5 >= least else None
    whole = seen.weights + (entropy or 0.0) * seen.entropy_column
    centred, _ = _partial_out(group, len(names), other, np.zeros_like(other), whole)
    total = float(np.sum(centred**2))
    if total <= 0.0:
        return None
    share = 1.0 - min(1.0, float(np.sum(weights_left**2)) / total)
    sign = 1.0 if float(np.median(solved[:, 0])) >= 0.0 else -1.0
    return WeightFit(sign * float(np.sqrt(share)), solved[:, 0], solved[:, 1], entropy, power, names)


def find_advantages(
    seen: WeightRows, explained: WeightFit | None, advantages: Sequence[Array]
) -> tuple[WeightFit, Array] | None:
    """The advantages that explain the weights exactly, and how; None where none do."""
    if explained is None or abs(explained.correlation) < EXACT:
        return None
    for each in advantages:
        fit = fit_weights(seen, each)
        if fit is not None and fit.correlation == explained.correlation:
            return fit, each
    return None


def _partial_out(group: Array, count: int, one: Array, other: Array, numbers: Array) -> tuple[Array, Array]:
    """What two columns leave of the numbers, with factors of their own for each group; and these factors."""

    def add_up(products: Array) -> Array:
        return np.asarray(np.bincount(group, products, minlength=count))

    a, b, d = add_up(one * one), add_up(one * other), add_up(other * other)
    first, second = add_up(one * numbers), add_up(other * numbers)
    # a ridge far below rounding keeps a group of one row, or a column of zeros, solvable
    a, d = a + 1e-12 * (a + 1e-30), d + 1e-12 * (d + 1e-30)
    ground = a * d - b * b
    ground = np.where(np.abs(ground) > 1e-12 * a * d, ground, np.inf)
    slope = np.where(np.isfinite(ground), (d * first - b * second) / ground, first / np.maximum(a, 1e-30))
    offset = np.where(np.isfinite(ground), (a * second - b * first) / ground, 0.0)
    return numbers - slope[group] * one - offset[group] * other, np.stack([slope, offset], axis=1)


def remove_entropy(seen: WeightRows, entropy_weight: float | None) -> Array:
    """The weights without the bonus."""
    return np.asarray(seen.weights + (entropy_weight or 0.0) * seen.entropy_column)


def undo_normalising(seen: WeightRows, fit: WeightFit, rows: int) -> Array:
    """The advantages by row of the tape that the weights were made of, NaN for rows that were always clipped."""
    names, group = np.unique(seen.batches, return_inverse=True)
    if len(names) != len(fit.slopes):
        return np.full(rows, np.nan)
    pure = remove_entropy(seen, fit.entropy_weight)
    usual = float(np.median(np.abs(pure)))
    made = (pure / seen.ratios**fit.power - fit.offsets[group]) / fit.slopes[group]
    kept = (np.abs(pure) > ZERO * usual) & np.isfinite(made) & (np.abs(seen.ratios - 1.0) < NEAR_ONE)
    total = np.bincount(seen.rows[kept], made[kept], minlength=rows)
    count = np.bincount(seen.rows[kept], minlength=rows)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(total / count)


def measure_repeats(seen: WeightRows, entropy_weight: float | None) -> float | None:
    """The correlation of the weights of a row with those of the same row the next time; None where few come back.

    A minibatch may have a scale and an offset of its own, so weights are taken in standard deviations of theirs.
    """
    pure = remove_entropy(seen, entropy_weight) / seen.ratios
    near = np.isfinite(pure) & (np.abs(seen.ratios - 1.0) < NEAR_ONE)
    names, group = np.unique(seen.batches[near], return_inverse=True)
    numbers, rows = pure[near], seen.rows[near]
    left, _ = _partial_out(group, len(names), np.ones_like(numbers), np.zeros_like(numbers), numbers)
    spread = np.sqrt(np.bincount(group, left**2, minlength=len(names)) / np.bincount(group, minlength=len(names)))
    units = left / np.maximum(spread[group], 1e-30)
    order = np.argsort(rows, kind="stable")
    again = np.flatnonzero(rows[order][1:] == rows[order][:-1])
    if len(again) < FEWEST:
        return None
    first, second = units[order][again], units[order][again + 1]
    size = float(first.std() * second.std())
    return float(np.mean((first - first.mean()) * (second - second.mean()))) / size if size > 0.0 else None


def is_constant(seen: WeightRows) -> bool:
    """Whether every row near a ratio of 1 has the same weight, whatever an entropy bonus adds to it."""
    near = np.isfinite(seen.log_ratios) & (np.abs(seen.ratios - 1.0) < NEAR_ONE)
    if near.sum() < FEWEST:
        return False
    weights, column = (seen.weights / seen.ratios)[near], (seen.entropy_column / seen.ratios)[near]
    one = np.zeros(len(weights), np.int64)
    left, solved = _partial_out(one, 1, np.ones_like(weights), column, weights)
    return float(np.sqrt(np.mean(left**2))) <= CONSTANT * abs(float(solved[0, 0]))


def measure_clip_sides(
    seen: WeightRows, fit: WeightFit, advantages: Array, beyond: float
) -> tuple[float, float] | None:
    """Of the rows outside of the clip range, the share without weight: driven outwards, and driven back.

    Args:
        seen: the weights.
        fit: how they follow from the advantages.
        advantages: (rows of the tape,) that they follow from.
        beyond: how far a ratio outside of the clip range is from 1 at least.

    Returns:
        None where fewer than `FEWEST_CLIPPED` rows lie on either side.
    """
    names, group = np.unique(seen.batches, return_inverse=True)
    if len(names) != len(fit.slopes):
        return None
    drive = fit.slopes[group] * advantages[seen.rows] + fit.offsets[group]
    pure, usual = remove_entropy(seen, fit.entropy_weight), float(np.nanmedian(np.abs(drive)))
    silent = np.abs(pure) <= ZERO * usual
    outside = (np.abs(seen.ratios - 1.0) >= beyond) & (np.abs(drive) > CONSTANT * usual)
    outwards = np.sign(drive) == np.sign(seen.ratios - 1.0)
    sides = [outside & outwards, outside & ~outwards]
    if min(int(side.sum()) for side in sides) < FEWEST_CLIPPED:
        return None
    return float(silent[sides[0]].mean()), float(silent[sides[1]].mean())


def measure_clip(seen: WeightRows, entropy_weight: float | None) -> tuple[float, float] | None:
    """Between which two distances of the ratio from 1 clipping begins; None where no row was clipped.

    A clipped row is one without weight on the side to which its advantage drives it: the nearest of them lies outside
    the clip range, and the furthest row that still has a weight and is driven outwards lies inside.
    """
    pure = remove_entropy(seen, entropy_weight)
    far = np.abs(seen.ratios - 1.0)
    near = np.abs(pure[far < NEAR_ONE])
    usual = float(np.median(near)) if len(near) else 0.0
    silent = np.abs(pure) <= ZERO * max(usual, 1e-30)
    clipped = silent & (far > 1e-3)
    if clipped.sum() < 3:
        return None
    outwards = ~silent & (np.sign(pure) == np.sign(seen.ratios - 1.0))
    inside = far[outwards & (far <= float(np.quantile(far[clipped], 0.01)))]
    return float(inside.max(initial=0.0)), float(np.quantile(far[clipped], 0.01))


def count_capped(seen: WeightRows, silent: Array, fit: WeightFit, advantages: Array) -> int:
    """How many rows of the first minibatch have no weight because their advantage is too large, else 0.

    Before the first optimizer step every ratio is 1, and clipping takes no weight away. All rows without one must be
    wanted more than any row with one.

    Args:
        seen: the weights of the others.
        silent: (m,) the rows of the first minibatch that have none.
        fit: how weights follow from the advantages.
        advantages: (rows of the tape,) that they follow from.
    """
    if len(silent) < FEWEST_CAPPED or not len(seen.batches):
        return 0
    batch = seen.batches.min()
    place = int(np.searchsorted(fit.batches, batch))
    if place == len(fit.batches) or fit.batches[place] != batch:
        return 0
    wanted, others = (
        fit.slopes[place] * advantages[rows] + fit.offsets[place] for rows in (silent, seen.rows[seen.batches == batch])
    )
    return len(silent) if np.all(wanted > max(0.0, float(np.nanmax(others)))) else 0
