"""Rewards less a running mean and over a running spread: a factor and an offset at every time, one for all members.

Both are taken out within each time, as far as members leave something, and gamma and lambda are fitted to what is left.

A mean that is subtracted changes the task wherever episodes end: where every step costs something, steps that cost less
than usual are paid for, and it is no longer good to end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import TURNED_REWARDS
from weaklink.base.evidence.recovered import NOTHING, TERMINAL, RecoveredFlaw, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.estimators import EstimatorFit, TapeSteps, fit_trace
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.reward_scales import MOST_OFF, ONE_WAY, fill_times

FEWEST_MEMBERS, FEWEST_AT_ONCE = 4, 3
"""Members that are stepped together, and those of one time that go on, of which two numbers leave something."""

ONE_SIGN, MANY = 0.95, 0.25
"""The share of rewards that must have one sign, and the share of them that must have the other one afterwards."""


def undo_standardising(taken: TapeSteps) -> tuple[TapeSteps, EstimatorFit] | None:
    """The steps with the rewards that their targets were made of, and the estimator; None where nothing fits."""
    if taken.rewards.shape[1] < FEWEST_MEMBERS:
        return None
    found = (_fit_times(taken, ahead) for ahead in taken.list_ahead())
    rewards = next((each for each in found if each is not None), None)
    if rewards is None:
        return None
    steps = replace(taken, rewards=rewards)
    trace = fit_trace(steps)
    return None if trace is None or trace.off.sum() > MOST_OFF * trace.counted else (steps, trace)


def find_turned(found: RecoveredValues, given: Array, steps: TapeSteps) -> Iterator[RecoveredFlaw]:
    """Rewards of one sign of which many have the other one in the targets, where episodes end with nothing behind them.

    Args:
        found: the critic, with what its targets go on with at ends.
        given: (T, members) the rewards of the environments.
        steps: with the rewards that targets are made of.
    """
    if not any((end.place, end.goes_on_with) == (TERMINAL, NOTHING) for end in found.ends):
        return
    known = np.isfinite(given) & np.isfinite(steps.rewards) & (given != 0.0)
    before, after = given[known], steps.rewards[known]
    way = float(np.sign(np.median(before))) if len(before) else 0.0
    turned = int(np.sum((np.sign(before) == way) & (np.sign(after) == -way)))
    if len(before) >= FEWEST and np.mean(np.sign(before) == way) >= ONE_SIGN and turned >= MANY * len(before):
        yield RecoveredFlaw(
            kind=TURNED_REWARDS,
            head=found.head,
            count=turned,
            of=len(before),
            number=float(before.mean()),
            other=float(after.mean()),
        )


def _fit_times(taken: TapeSteps, ahead: Array) -> Array | None:
    """(T, members) the rewards that targets are made of; None where that leaves something of them."""
    columns = (taken.targets, ahead, taken.shift(taken.targets - taken.values))
    inner = ~taken.ended & np.all([np.isfinite(each) for each in (taken.rewards, *columns)], axis=0)
    inner &= (inner.sum(axis=1) >= FEWEST_AT_ONCE)[:, None]
    if inner.sum() < 4 * FEWEST:
        return None
    count = np.maximum(inner.sum(axis=1), 1)

    def centre(numbers: Array) -> Array:
        kept = np.where(inner, numbers, 0.0)
        return np.where(inner, kept - (kept.sum(axis=1) / count)[:, None], 0.0)

    given = centre(taken.rewards)
    square = np.maximum(np.sum(given**2, axis=1), 1e-30)

    def project(numbers: Array) -> Array:
        return np.asarray(np.sum(given * numbers, axis=1) / square)

    centred = [centre(each) for each in columns]
    wanted, *table = ((each - project(each)[:, None] * given)[inner] for each in centred)
    both = np.stack(table, axis=1)
    allowed = VISIBLE * measure_spread(taken.targets) + measure_rounding(both, wanted)
    found = fit_mostly(both, wanted, allowed)
    if found is None or np.mean(np.abs(found[1]) > allowed) > MOST_OFF or not VISIBLE < found[0][0] < 1.0 + VISIBLE:
        return None
    paid = columns[0] - found[0][0] * columns[1] - found[0][1] * columns[2]
    factors = np.where(np.any(given != 0.0, axis=1), project(centre(paid)), np.nan)
    known = factors[np.isfinite(factors)]
    if not len(known) or float(np.mean(known > 0.0)) < ONE_WAY:
        return None
    factors = fill_times(factors)
    offsets = np.where(inner, paid - factors[:, None] * taken.rewards, 0.0).sum(axis=1) / count
    offsets = fill_times(np.where(inner.any(axis=1), offsets, np.nan))
    return np.asarray(factors[:, None] * taken.rewards + offsets[:, None])
