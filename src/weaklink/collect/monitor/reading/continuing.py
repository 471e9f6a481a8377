"""What the targets go on with where an episode or a rollout ends: nothing, a value, or what is not theirs.

A target is its reward and, discounted, what it goes on with. Once gamma is known, so is that number, and it is compared
with everything that stood at hand there: nothing, the value of the observation that followed, the value or the return
of the next episode, the step's own value or that of the first step, an entropy bonus. What fits in every row of a
place is told.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from weaklink.base.evidence.recovered import (
    BONUS_ALONE,
    CARRIED,
    FIRST_VALUE,
    LAST,
    LEAKED,
    LIMIT,
    NEXT_RETURN,
    NEXT_VALUE,
    NOTHING,
    OWN_NEXT,
    OWN_VALUE,
    TERMINAL,
    RecoveredEnd,
)
from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.joined import ROUNDING
from weaklink.collect.monitor.reading.lines import VISIBLE, measure_spread

FEWEST_ENDS, ENOUGH = 2, 3
"""Rows of one place that must go on with the same thing, and those from which on it need not be to the last digits: one
number may be near another by chance."""

CLOSE, SAME = 0.01, 2e-4
"""How close what is wrong must fit, as a share of its own spread over all rows; and the step's own value, which is one
and the same number if it is taken."""

RIGHT = {TERMINAL: NOTHING, LIMIT: OWN_NEXT, LAST: OWN_NEXT}
"""What each place should go on with."""

NEARLY_ALL, KNOWN = 0.9, 0.4
"""The share of them that must: a log-probability at the bound of an action is known badly. And the share in which what
stood at hand must be known: nobody knows the return behind a rollout of a few steps."""


def read_ends(
    steps: TapeSteps, gamma: float, lam: float | None, beyond: Array | None = None
) -> tuple[RecoveredEnd, ...]:
    """What the targets of a rollout go on with at terminals, time limits and its last step; unknown ones are left out.

    Args:
        steps: the rollout with its targets.
        gamma: the discount that all other rows show.
        lam: their lambda; None where it is not known.
        beyond: (T, N) values of the observations that the next rows begin with, where those are of another rollout.
    """
    ahead = steps.shift(steps.values)
    if beyond is not None:
        ahead = np.where(np.isfinite(ahead), ahead, beyond)
    following = np.where(np.isfinite(steps.next_values), steps.next_values, np.where(steps.ended, np.nan, ahead))
    learnt = np.flatnonzero(np.isfinite(steps.targets).any(axis=1))
    last = np.zeros_like(steps.ended)
    last[learnt[-1:]] = True
    advantages, trace = steps.shift(steps.targets - steps.values), 1.0 if lam is None else lam
    candidates = {
        NOTHING: np.zeros_like(ahead),
        OWN_NEXT: following,
        NEXT_VALUE: ahead,
        NEXT_RETURN: ahead + trace * advantages,
        LEAKED: np.where(steps.terminated, 0.0, following) + trace * advantages,
        OWN_VALUE: steps.values,
        FIRST_VALUE: np.where(last, _take_first(steps.values), np.nan),
    }
    if abs(trace - 1.0) > VISIBLE:  # else it is the return itself
        candidates[CARRIED] = trace * steps.shift(steps.targets)
    places = {TERMINAL: steps.terminated, LIMIT: steps.truncated, LAST: last & ~steps.ended}
    return _compare(places, candidates, steps.rewards, steps.targets, gamma)


def _take_first(values: Array) -> Array:
    """(T, N) the value of the first row of each rollout, for all rows but itself; shorter rollouts begin later."""
    times, rollouts = np.arange(len(values))[:, None], np.arange(values.shape[1])
    begins = np.isfinite(values).argmax(axis=0)
    return np.where(times > begins, values[begins, rollouts], np.nan)


def read_replayed_ends(
    rewards: Array, targets: Array, places: Mapping[str, Array], candidates: Mapping[str, Array], gamma: float
) -> tuple[RecoveredEnd, ...]:
    """The same for replayed rows, whose next values are what the networks were asked; (n,) each."""
    return _compare(places, {NOTHING: np.zeros_like(rewards), **candidates}, rewards, targets, gamma)


def list_soft(following: Array, log_probs: Array | None, soft: float | None, strays: Array) -> dict[str, Array]:
    """What a replayed target may go on with: the next value, with or without an entropy bonus, and the bonus alone.

    Args:
        following: (n,) the next value that targets are made of.
        log_probs: (n,) of the next action, where there is an entropy bonus.
        soft: its weight.
        strays: (n,) whether the network was asked about the first observation of the next episode.
    """
    bonus = np.zeros_like(following) if log_probs is None or soft is None else -soft * log_probs
    whole = following + bonus
    found = {OWN_NEXT: np.where(strays, np.nan, whole), NEXT_VALUE: np.where(strays, whole, np.nan)}
    return found if log_probs is None else {**found, BONUS_ALONE: bonus}


def _compare(
    places: Mapping[str, Array], candidates: Mapping[str, Array], rewards: Array, targets: Array, gamma: float
) -> tuple[RecoveredEnd, ...]:
    if not abs(gamma) > VISIBLE:
        return ()
    implied = (targets - rewards) / gamma
    largest = float(np.nanmax(np.abs(targets), initial=0.0))
    allowed = (VISIBLE * measure_spread(targets) + 64 * ROUNDING * largest) / abs(gamma)
    found = []
    for place, there in places.items():
        known = there & np.isfinite(implied)
        fits = [name for name, made in candidates.items() if _follows(implied[known], made[known], allowed)]
        fits = [RIGHT[place]] if RIGHT[place] in fits else fits
        if len(fits) != 1 or known.sum() < FEWEST_ENDS:  # two that cannot be told apart tell nothing
            continue
        # a critic that hardly tells observations apart makes the right value look like any other
        apart = CLOSE * measure_spread(candidates[fits[0]])
        near = allowed if fits[0] in (NOTHING, RIGHT[place]) else min(allowed, apart)
        # and the next value is hardly another one than the step's own where little happens in between
        if fits[0] == OWN_VALUE or known.sum() < ENOUGH:
            near = min(near, SAME * apart / CLOSE + 64 * ROUNDING * largest)
        if _follows(implied[known], candidates[fits[0]][known], near):
            found.append(_describe(place, fits[0], known, rewards, targets))
    return tuple(found)


def _follows(implied: Array, made: Array, allowed: float) -> bool:
    told = np.isfinite(made)
    if told.sum() < FEWEST_ENDS or told.mean() < KNOWN:
        return False
    return float(np.mean(np.abs(implied - made)[told] <= allowed)) >= NEARLY_ALL


def _describe(place: str, name: str, known: Array, rewards: Array, targets: Array) -> RecoveredEnd:
    row = int(np.argmax(np.where(known, np.abs(targets - rewards), -1.0)))
    one, reward = float(targets.ravel()[row]), float(rewards.ravel()[row])
    return RecoveredEnd(place=place, goes_on_with=name, rows=int(known.sum()), reward=reward, target=one)
