"""Targets that are right, and those of other rows: put back into place, they follow an estimator.

Nothing is assumed of the estimator: whichever gamma and lambda fit the targets once they are rearranged, no line fits
them as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.estimators import EstimatorFit, TapeSteps, fit_trace
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread

MIXED = "environment and time axes mixed up in a reshape"
REVERSED, SHIFTED, OTHER_MEMBER = "time not reversed", "result shifted by one", "fields of another environment"
NORMALISED = "value target from normalised advantages"

MOST_OFF = 0.05
"""The share of rows that may not follow: ends of episodes, which a rearrangement brings to other places."""

STANDARD = 5e-3
"""How near mean and spread must be to 0 and 1: what divides by n and by n - 1 differs by less from 128 rows on."""


def find_rearranged(steps: TapeSteps) -> tuple[str, EstimatorFit] | None:
    """How the targets of a rollout must be rearranged to follow an estimator, and which; None where nothing helps."""
    times = np.flatnonzero(np.isfinite(steps.targets).all(axis=1))
    if len(times) * steps.targets.shape[1] < FEWEST or len(times) != times[-1] - times[0] + 1:
        return None
    part = steps.take(slice(int(times[0]), int(times[-1]) + 1), np.arange(steps.targets.shape[1]))
    for name, targets in list_rearranged(part.targets, part.ended):
        turned = replace(part, targets=targets)
        fit = fit_trace(turned) or (fit_trace(turned, scaled=True) if part.rewards_differ else None)
        if fit is not None and _follows(fit):
            return name, fit
    return None


def _follows(fit: EstimatorFit) -> bool:
    """Whether nearly all rows follow an estimator that can be one, with rewards of their own sign."""
    right = 0.0 < fit.gamma <= 1.0 + VISIBLE and fit.scale > VISIBLE
    return right and float(fit.off.sum()) <= MOST_OFF * fit.counted


def list_rearranged(targets: Array, ended: Array) -> Iterator[tuple[str, Array]]:
    """The targets of a rollout as they may belong to other rows, by what was done to them."""
    times, members = targets.shape
    if members > 1:
        yield MIXED, targets.reshape(members, times).T
        yield MIXED, targets.T.reshape(times, members)
        yield OTHER_MEMBER, np.roll(targets, 1, axis=1)
        yield OTHER_MEMBER, np.roll(targets, -1, axis=1)
    nothing = np.full((1, members), np.nan)
    yield REVERSED, targets[::-1]
    if ended.any():
        yield REVERSED, _reverse_episodes(targets, ended)
    yield SHIFTED, np.concatenate([targets[1:], nothing])
    yield SHIFTED, np.concatenate([nothing, targets[:-1]])


def _reverse_episodes(targets: Array, ended: Array) -> Array:
    """The targets with each episode turned round by itself."""
    found = targets.copy()
    for member in range(targets.shape[1]):
        for part in np.split(np.arange(len(targets)), np.flatnonzero(ended[:, member]) + 1):
            found[part, member] = targets[part[::-1], member]
    return found


def traces_forwards(steps: TapeSteps) -> float | None:
    """What advantages that run forwards leave of the targets; None where they are none such.

    `advantage[t] = reward[t] + gamma * next value[t] - value[t] + gamma * lambda * advantage[t - 1]`.
    """
    before = np.full(steps.targets.shape, np.nan)
    before[1:] = np.where(steps.ended, np.nan, steps.targets - steps.values)[:-1]
    following = np.where(np.isfinite(steps.next_values), steps.next_values, steps.shift(steps.values))
    wanted = steps.targets - steps.rewards
    inner = ~steps.ended & np.isfinite(before) & np.isfinite(following) & np.isfinite(wanted)
    if inner.sum() < 2 * FEWEST:
        return None
    table = np.stack([following[inner], before[inner]], axis=1)
    allowed = VISIBLE * measure_spread(steps.targets) + measure_rounding(table, wanted[inner])
    found = fit_mostly(table, wanted[inner], allowed)
    if found is None or np.mean(np.abs(found[1]) <= allowed) < 1.0 - MOST_OFF:
        return None
    gamma, carried = (float(each) for each in found[0])
    if not MOST_OFF < carried <= gamma + VISIBLE or gamma > 1.0 + VISIBLE:
        return None
    return float(np.sqrt(np.mean(found[1] ** 2))) / max(measure_spread(steps.targets), 1e-30)


def runs_forwards(steps: TapeSteps) -> float | None:
    """What sums that were made of the rewards before a step leave of the targets; None where they are none such.

    `target[t] = scale * reward[t] + gamma * target[t - 1]` within episodes, and the reward alone at their first steps.
    """
    before, fresh = (np.full(steps.targets.shape, np.nan) for _ in range(2))
    before[1:], fresh[1:] = np.where(steps.ended, np.nan, steps.targets)[:-1], np.where(steps.ended, 1.0, np.nan)[:-1]
    inner = np.isfinite(before) & np.isfinite(steps.targets) & np.isfinite(steps.rewards)
    if inner.sum() < 2 * FEWEST or not steps.rewards_differ:
        return None
    table = np.stack([before[inner], steps.rewards[inner]], axis=1)
    allowed = VISIBLE * measure_spread(steps.targets) + measure_rounding(table, steps.targets[inner])
    found = fit_mostly(table, steps.targets[inner], allowed)
    if found is None or not VISIBLE < found[0][0] <= 1.0 + VISIBLE or abs(found[0][1]) < 1e-12:
        return None
    first = np.isfinite(fresh) & np.isfinite(steps.targets) & np.isfinite(steps.rewards)
    alone = np.abs(steps.targets - found[0][1] * steps.rewards)[first] <= allowed
    if np.mean(np.abs(found[1]) <= allowed) < 1.0 - MOST_OFF or (len(alone) and alone.mean() < 1.0 - MOST_OFF):
        return None
    return float(np.sqrt(np.mean(found[1] ** 2))) / max(measure_spread(steps.targets), 1e-30)


def are_normalised(steps: TapeSteps) -> bool:
    """Whether targets lie above their values by numbers that were given a mean of 0 and a spread of 1."""
    above = steps.targets - steps.values
    known = above[np.isfinite(above)]
    if len(known) < 8 * FEWEST:
        return False
    return abs(float(known.mean())) < STANDARD and abs(measure_spread(known) - 1.0) < STANDARD
