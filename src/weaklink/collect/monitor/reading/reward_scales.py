"""Rewards that a running normaliser divides by another number at every step: one factor for all members of a time.

Within one time the factor is the same for all members, so that what the rewards of this time explain is taken out, and
gamma and lambda are fitted to what is left. Few members leave nothing; but statistics of many steps hardly move in a
few more, so that the factor is a line between times that are a few steps apart, and the heights of these lines are
fitted with gamma and lambda. With both known, the factor of every time is known too, and with it the rewards at ends,
which took no part in the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.estimators import EstimatorFit, TapeSteps, fit_trace
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread

FEWEST_MEMBERS, FEWEST_AT_ONCE = 4, 2
"""Members that are stepped together, and those of one time that go on, of which one number leaves something."""

APART, ROWS_A_LINE, FAR = 8, 6, 10.0
"""Steps between two times whose factors are fitted, rows that each of them must have, and how many times as far as
allowed the usual row may be off at first."""

MOST_OFF = 0.01
"""The share of rows within episodes that may not follow."""

ONE_WAY = 0.99
"""The share of times whose factor must have the sign of the others."""

NEARLY = 0.02
"""The part of a terminal reward that its factor may be off by."""

BOUNDS = (0.0, 1.0, 10.0, 5.0, 2.0, 0.5, 0.1, 20.0, 50.0, 100.0)
"""That people cut rewards off at, the usual ones first; 0 for signs."""

ROUGHLY = 10.0
"""How many times as much as usual may be left where it is asked which rewards explain targets, and others do not."""

MUCH = 0.25
"""The share of rewards that must lie beyond a bound: a few that are far outside are cut off on purpose."""

MANY_REWARDS = 32
"""Different sizes of reward from which on sizes mean something; games with points have fewer."""


def undo_scales(taken: TapeSteps) -> tuple[TapeSteps, EstimatorFit] | None:
    """The steps with the rewards that their targets were made of, and the estimator; None where no factors fit."""
    factors = _find_factors(taken, taken.rewards)
    if factors is None:
        return None
    steps = settle_terminals(replace(taken, rewards=factors[:, None] * taken.rewards))
    trace = fit_trace(steps)
    return None if trace is None or trace.off.sum() > MOST_OFF * trace.counted else (steps, trace)


def settle_terminals(steps: TapeSteps) -> TapeSteps:
    """The steps with the rewards that the targets of terminal ones show, where these are nearly what they should be.

    A factor is known from the rewards within episodes; at an end, where the reward may be a hundred times as large, so
    is what the factor is off by, and a normaliser may have moved on.
    """
    apart = np.abs(steps.targets - steps.rewards)
    near = np.asarray(steps.terminated, bool) & (apart <= NEARLY * np.abs(steps.rewards))
    return replace(steps, rewards=np.where(near, steps.targets, steps.rewards))


def find_reduction(taken: TapeSteps) -> tuple[float, float] | None:
    """The bound that rewards of many sizes are cut off at before targets are made of them, whatever number each time
    multiplies, and the share of them that it cuts; a bound of 0 leaves signs. None where no bound explains the targets.
    """
    reductions = list_reductions(taken.rewards)
    if not reductions or _find_factors(taken, taken.rewards, ROUGHLY) is not None:
        return None
    for bound, share, rewards in reductions:
        alone = fit_trace(replace(taken, rewards=rewards), scaled=True)
        exact = alone is not None and alone.scale > 0.0 and alone.off.sum() <= MOST_OFF * alone.counted
        if exact or _find_factors(taken, rewards, ROUGHLY) is not None:
            return bound, share
    return None


def list_reductions(rewards: Array) -> list[tuple[float, float, Array]]:
    """The bounds that would cut off many rewards of many sizes, the share that each cuts, and what it leaves."""
    known = rewards[np.isfinite(rewards)]
    found = []
    for bound in BOUNDS:
        beyond = np.abs(known[np.abs(known) > bound])
        if len(beyond) >= MUCH * len(known) and len(np.unique(beyond)) >= MANY_REWARDS:
            left = np.clip(rewards, -bound, bound) if bound else np.sign(rewards)
            found.append((bound, len(beyond) / len(known), left))
    return found


def _find_factors(taken: TapeSteps, rewards: Array, loosely: float = 1.0) -> Array | None:
    """(T,) what the rewards of each time are multiplied by; None where that leaves something of the targets.

    Args:
        taken: the steps.
        rewards: (T, members) that targets may be made of.
        loosely: how many times as much as usual may be left.
    """
    fit = _fit_factors if rewards.shape[1] >= FEWEST_MEMBERS else _fit_lines
    found = (fit(taken, rewards, ahead, loosely) for ahead in taken.list_ahead())
    return next((each for each in found if each is not None), None)


def _fit_factors(taken: TapeSteps, rewards: Array, ahead: Array, loosely: float) -> Array | None:
    columns = (taken.targets, ahead, taken.shift(taken.targets - taken.values))
    inner = ~taken.ended & np.isfinite(rewards) & np.all([np.isfinite(each) for each in columns], axis=0)
    inner &= (inner.sum(axis=1) >= FEWEST_AT_ONCE)[:, None]
    if inner.sum() < 4 * FEWEST:
        return None
    given = np.where(inner, rewards, 0.0)
    square = np.maximum(np.sum(given**2, axis=1), 1e-30)

    def project(numbers: Array) -> Array:
        return np.asarray(np.sum(given * np.where(inner, numbers, 0.0), axis=1) / square)

    wanted, *table = (np.where(inner, each - project(each)[:, None] * given, 0.0)[inner] for each in columns)
    both = np.stack(table, axis=1)
    allowed = loosely * (VISIBLE * measure_spread(taken.targets) + measure_rounding(both, wanted))
    found = fit_mostly(both, wanted, allowed)
    if found is None or np.mean(np.abs(found[1]) > allowed) > MOST_OFF or not VISIBLE < found[0][0] < 1.0 + VISIBLE:
        return None
    going_on = found[0][0] * columns[1] + found[0][1] * columns[2]
    factors = np.where(np.any(given != 0.0, axis=1), project(columns[0] - going_on), np.nan)
    known = factors[np.isfinite(factors)]
    return fill_times(factors) if have_one_sign(known) else None


def _fit_lines(taken: TapeSteps, rewards: Array, ahead: Array, loosely: float) -> Array | None:
    """The same for few members, with a factor that is a line between times that lie `APART` steps from each other."""
    columns = (taken.targets, ahead, taken.shift(taken.targets - taken.values))
    inner = ~taken.ended & np.isfinite(rewards) & np.all([np.isfinite(each) for each in columns], axis=0)
    begins = (0, len(rewards) // 4, len(rewards) // 2)
    rates = (_fit_rates(columns, rewards, inner, begin, loosely) for begin in begins)
    found = next((each for each in rates if each is not None), None)
    if found is None:
        return None
    told = inner & (rewards != 0.0)
    paid = np.where(told, (columns[0] - found[0] * columns[1] - found[1] * columns[2]) * rewards, 0.0).sum(axis=1)
    square = np.where(told, rewards**2, 0.0).sum(axis=1)
    return fill_times(np.where(square > 0.0, paid / np.maximum(square, 1e-30), np.nan))


def _fit_rates(
    columns: Sequence[Array], rewards: Array, inner: Array, begin: int, loosely: float
) -> tuple[float, float] | None:
    """Gamma, and gamma times lambda, from some time on: at the start of a training statistics still jump."""
    inner = inner & (np.arange(len(inner)) >= begin)[:, None]
    times = np.broadcast_to(np.arange(len(rewards))[:, None], rewards.shape)[inner]
    knots = -(-(len(rewards) - begin) // APART) + 1
    if inner.sum() < ROWS_A_LINE * knots:
        return None
    lines = np.maximum(1.0 - np.abs((times[:, None] - begin) / APART - np.arange(knots)), 0.0) * rewards[inner][:, None]
    lines = lines[:, np.any(lines != 0.0, axis=0)]
    wanted, *going_on = (each[inner] for each in columns)
    table = np.concatenate([np.stack(going_on, axis=1), lines], axis=1)
    allowed = loosely * (VISIBLE * measure_spread(columns[0]) + measure_rounding(table, wanted))
    square = table.T @ table
    square.flat[:: len(square) + 1] += 1e-12 * square.trace()
    at_first = np.linalg.solve(square, table.T @ wanted)
    if np.median(np.abs(wanted - table @ at_first)) > FAR * allowed:  # no weights of the rows will mend that
        return None
    found = fit_mostly(table, wanted, allowed)
    if found is None or np.mean(np.abs(found[1]) > allowed) > MOST_OFF or not VISIBLE < found[0][0] < 1.0 + VISIBLE:
        return None
    return (float(found[0][0]), float(found[0][1])) if have_one_sign(found[0][2:]) else None


def have_one_sign(factors: Array) -> bool:
    """Whether nearly all factors have one sign: that of a mistake may be below zero, and no normaliser changes it."""
    return bool(len(factors)) and max(float(np.mean(factors > 0.0)), float(np.mean(factors < 0.0))) >= ONE_WAY


def fill_times(factors: Array) -> Array:
    """The factors, those of times without a reward taken from the times around them."""
    known = np.flatnonzero(np.isfinite(factors))
    return np.interp(np.arange(len(factors)), known, factors[known])
