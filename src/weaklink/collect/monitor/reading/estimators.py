"""Which estimator made the targets of a rollout, with its own numbers: gamma and lambda, by least squares.

With the advantage `A = target - value`, generalised advantage estimation is a straight line in both unknowns,
`target[t] - reward[t] = gamma * value[t + 1] + gamma * lambda * A[t + 1]`, wherever the episode goes on. Monte-Carlo
returns are lambda 1, one-step targets lambda 0. Where the weight of the loss is not known either, it is a factor too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.discounting import fold_backwards
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread

CLEAR = 0.005
"""How far two discounts must lie apart to be two."""

LONGEST_STEPS = 32


@dataclass(frozen=True, slots=True, eq=False)
class TapeSteps:
    """A rollout by time and member, (T, N) each; numbers that are not known are NaN.

    Attributes:
        values: what the critic said of the observation before each step, while collecting.
        next_values: what it said of the one that followed; NaN where it was not asked, then the next row stands in.
        targets: what the critic's loss pulls towards.
        rows: the row on the tape, -1 where the member has no such step.
    """

    rewards: Array
    values: Array
    next_values: Array
    terminated: Array
    truncated: Array
    targets: Array
    rows: Array

    @property
    def ended(self) -> Array:
        """Where an episode ended."""
        return np.asarray(self.terminated | self.truncated)

    @property
    def rewards_differ(self) -> bool:
        """Whether there is more than one reward."""
        return float(np.nanmax(self.rewards) - np.nanmin(self.rewards)) > 0.0

    def shift(self, numbers: Array) -> Array:
        """The numbers of the next step of the same member, NaN behind the last."""
        return np.concatenate([numbers[1:], np.full_like(numbers[:1], np.nan)])

    def list_ahead(self) -> Iterator[Array]:
        """What a target may go on with: the value of the next row, then what was answered of what followed."""
        later = self.shift(self.values)
        yield later
        asked = np.where(np.isfinite(self.next_values), self.next_values, later)
        both = np.isfinite(asked) & np.isfinite(later) & ~self.ended
        if np.any(asked[both] != later[both]):
            yield asked

    def take(self, times: slice, members: Array) -> TapeSteps:
        """Some of the times, of some of the members."""
        return TapeSteps(*(getattr(self, name)[times][:, members] for name in self.__slots__))

    def spread(self, numbers: Array, count: int) -> Array:
        """Numbers of these steps by row of a tape of so many rows; NaN for rows that are not among them."""
        found = np.full(count, np.nan)
        there = self.rows >= 0
        found[self.rows[there]] = numbers[there]
        return found

    def gather(self, numbers: Array) -> Array:
        """Numbers by row of the tape as (T, N), NaN where a member has no such step."""
        return np.where(self.rows >= 0, numbers[self.rows], np.nan)


@dataclass(frozen=True, slots=True, eq=False)
class EstimatorFit:
    """An estimator and its numbers.

    Attributes:
        steps: how many rewards an n-step target adds up; 0 for an estimator with a lambda.
        lam: None where values alone cannot tell it from others.
        weight: of the loss, where it was fitted too.
        scale: what rewards are multiplied by.
        offset: what each step has besides, where that was fitted.
        other_gamma: of standardised targets, the discount if values are in the units of the rewards and not of the
            targets; None where that makes no difference.
        counted: how many rows were asked.
        off: (T, N) the rows that do not follow.
        unexplained: what the others leave, as a share of the spread of the targets.
    """

    gamma: float
    lam: float | None
    counted: int
    off: Array
    unexplained: float
    steps: int = 0
    weight: float | None = None
    scale: float = 1.0
    offset: float = 0.0
    other_gamma: float | None = None


def fit_trace(taken: TapeSteps, *, standardised: bool = False, scaled: bool = False) -> EstimatorFit | None:
    """Gamma and lambda from known targets; None where no line fits.

    Args:
        taken: the rollout.
        standardised: whether returns were given a scale and an offset of their own over the whole batch. Then the
            reward has a factor, and every step an offset.
        scaled: whether the reward has a factor of its own, as a trainer gives it on purpose.
    """
    best = None
    for ahead in taken.list_ahead():
        fit = _fit_trace(taken, ahead, standardised, scaled)
        if fit is not None and (best is None or fit.off.sum() < best.off.sum()):
            best = fit
        if best is not None and not best.off.any():
            break
    return best


def _fit_trace(taken: TapeSteps, ahead: Array, standardised: bool, scaled: bool) -> EstimatorFit | None:
    advantages = taken.targets - taken.values
    columns = [ahead, taken.shift(advantages)]
    wanted = taken.targets - taken.rewards
    if standardised:
        wanted = taken.targets
        columns.append(np.ones_like(taken.rewards))
    if scaled and not np.nansum(np.abs(taken.rewards)) > 0.0:
        return None
    if scaled or (standardised and taken.rewards_differ):
        wanted = taken.targets
        columns.append(taken.rewards)
    inner = ~taken.ended & np.isfinite(wanted) & np.all([np.isfinite(column) for column in columns], axis=0)
    if inner.sum() < FEWEST:
        return None
    spread = measure_spread(taken.targets)
    table = np.stack([column[inner] for column in columns], axis=1)
    allowed = VISIBLE * spread + measure_rounding(table, wanted[inner])
    found = fit_mostly(table, wanted[inner], allowed)
    if found is None:
        return None
    factors, left = found
    gamma, product = (float(each) for each in factors[:2])
    off = np.zeros(taken.rewards.shape, bool)
    off[inner] = np.abs(left) > allowed
    kept = np.abs(left) <= allowed
    # the value of what follows has a factor of gamma * (1 - lambda), times that of the rewards if it is in their units
    other = None
    if standardised and taken.rewards_differ and abs(factors[-1]) > 1e-12:
        other = product + (gamma - product) / float(factors[-1])
    return EstimatorFit(
        gamma=gamma,
        lam=_divide(gamma, product, table[kept, :2], allowed),
        counted=int(inner.sum()),
        off=off,
        unexplained=float(np.sqrt(np.mean(left[kept] ** 2))) / max(spread, 1e-30),
        scale=float(factors[-1]) if scaled else 1.0,
        offset=float(factors[2]) if standardised else 0.0,
        other_gamma=other,
    )


def settle_discount(fit: EstimatorFit | None, told: float | None) -> EstimatorFit | None:
    """The fit of standardised targets with the discount that is known: one in whatever units, or the one that was told.

    None where two discounts explain the targets and nobody says which it is.
    """
    if fit is None or fit.other_gamma is None or abs(fit.other_gamma - fit.gamma) < CLEAR:
        return fit
    near = [each for each in (fit.gamma, fit.other_gamma) if told is not None and abs(each - told) < CLEAR]
    if not near:
        return None
    lam = None if fit.lam is None else fit.lam * fit.gamma / near[0]
    return replace(fit, gamma=near[0], lam=lam)


def fit_trace_and_weight(taken: TapeSteps, values: Array, asked: Array) -> EstimatorFit | None:
    """Gamma, lambda and the weight of a square loss, where each row came once.

    Args:
        taken: the rollout; its targets are not read.
        values: (T, N) what the critic said while learning.
        asked: (T, N) the gradient at it, times the rows of its minibatch.
    """
    wanted = values - taken.rewards
    columns = [asked, taken.shift(taken.values), -taken.shift(asked), taken.shift(values - taken.values)]
    inner = ~taken.ended & np.isfinite(wanted) & np.all([np.isfinite(column) for column in columns], axis=0)
    if inner.sum() < 2 * FEWEST:
        return None
    table = np.stack([column[inner] for column in columns], axis=1)
    if float(np.abs(table[:, 3]).max()) <= 1e-5 * max(float(np.abs(table[:, 1]).max()), 1e-30):
        table = table[:, :3]  # one pass over the whole rollout: the critic has not moved since collecting
    allowed = VISIBLE * measure_spread(wanted[inner]) + measure_rounding(table, wanted[inner])
    found = fit_mostly(table, wanted[inner], allowed)
    if found is None or found[0][0] == 0.0:
        return None
    inverse, product = float(found[0][0]), float(found[0][2])
    if len(found[0]) > 3 and abs(found[0][3] - product / inverse) > 0.05:
        return None
    made = fit_trace(replace(taken, targets=values - inverse * asked))
    return None if made is None else replace(made, weight=1.0 / inverse)


def compute_gae(taken: TapeSteps, gamma: float, lam: float) -> Array:
    """Advantages of the whole tape; NaN from where a number is missing back to the end of an episode before it."""
    ahead = np.where(taken.terminated, 0.0, taken.next_values)
    errors = taken.rewards + gamma * ahead - taken.values
    lacking = np.isnan(errors)
    found = fold_backwards(np.where(lacking, 0.0, errors), gamma * lam * ~taken.ended)
    return np.where(fold_backwards(lacking.astype(float), ~taken.ended) > 0.0, np.nan, found)


def fit_steps(taken: TapeSteps, gammas: tuple[float, ...]) -> EstimatorFit | None:
    """N-step targets of a fixed number of steps with one of these discounts; None where none fits."""
    spread = measure_spread(taken.targets)
    for gamma in gammas:
        made, going = taken.rewards.copy(), ~taken.ended
        ahead, rewards, factor = taken.values, taken.rewards, gamma
        for steps in range(2, min(LONGEST_STEPS, len(made) - 1) + 1):
            rewards, ahead = taken.shift(rewards), taken.shift(ahead)
            made = made + factor * rewards
            factor *= gamma
            wanted = made + factor * taken.shift(ahead)
            inner = going & np.isfinite(wanted) & np.isfinite(taken.targets)
            later = taken.ended.astype(float)
            for _ in range(steps - 1):
                later = taken.shift(later)
                inner &= np.nan_to_num(later, nan=1.0) == 0.0
            off = inner & (np.abs(taken.targets - wanted) > VISIBLE * spread)
            if inner.sum() >= FEWEST and off.sum() <= 0.01 * inner.sum():
                return EstimatorFit(gamma, None, int(inner.sum()), off, 0.0, steps=steps)
    return None


def _divide(gamma: float, product: float, table: Array, allowed: float) -> float | None:
    """Lambda, where the rows tell it from the gamma: the least that either factor must change to be seen is small."""
    if abs(gamma) < VISIBLE:
        return None
    smallest = np.linalg.svd(table - 0.0, compute_uv=False)[-1] / np.sqrt(len(table))
    # a change of the factors by 0.05 in the worst direction must show
    return product / gamma if 0.05 * float(smallest) > allowed / np.sqrt(len(table)) else None
