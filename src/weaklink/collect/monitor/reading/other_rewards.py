"""Targets that follow an estimator with rewards that are not their own: one for all environments, a neighbour's, those
of another step, or all of an episode so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.flaw_kinds import ONE_REWARD, OTHER_REWARD, REWARD_AFTER, REWARD_BEFORE
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import Tape
from weaklink.collect.monitor.reading.estimators import TapeSteps
from weaklink.collect.monitor.reading.lines import VISIBLE, measure_spread
from weaklink.collect.monitor.reading.tape_rows import find_cuts

FEWEST_OTHER = 16
"""Rewards that must differ from those that were given."""

FEWEST_ENDS = 3
"""Ends of episodes that tell by which reward their targets are made."""


def list_other_rewards(tape: Tape, steps: TapeSteps) -> Iterator[tuple[str, TapeSteps]]:
    """The steps with rewards that a loop may have written where others belong, by what that is.

    Where too few of them differ from the right ones, nothing would tell.
    """
    rewards = tape.rewards.reshape(tape.times, tape.members)
    for name, others in (*_list_steps(tape, rewards), *_list_members(rewards)):
        given = np.where(np.isfinite(steps.rewards), steps.gather(others.reshape(-1)), np.nan)
        if np.count_nonzero(np.isfinite(given) & (given != steps.rewards)) >= FEWEST_OTHER:
            yield name, replace(steps, rewards=given)


def _list_members(rewards: Array) -> Iterator[tuple[str, Array]]:
    """(times, members) the rewards of other environments."""
    if rewards.shape[1] > 1:
        yield ONE_REWARD, np.broadcast_to(rewards[:, -1:], rewards.shape)
        yield ONE_REWARD, np.broadcast_to(rewards[:, :1], rewards.shape)
        yield ONE_REWARD, np.broadcast_to(rewards.mean(axis=1, keepdims=True), rewards.shape)
        yield ONE_REWARD, np.broadcast_to(rewards.sum(axis=1, keepdims=True), rewards.shape)
        yield OTHER_REWARD, np.roll(rewards, 1, axis=1)
        yield OTHER_REWARD, np.roll(rewards, -1, axis=1)


def _list_steps(tape: Tape, rewards: Array) -> Iterator[tuple[str, Array]]:
    """(times, members) the rewards of other steps, within episodes and across their ends; NaN where none is known."""
    last = (np.asarray(tape.terminated | tape.truncated, bool) | find_cuts(tape)).reshape(rewards.shape)
    nothing = np.full((1, tape.members), np.nan)
    before, after = np.concatenate([nothing, rewards[:-1]]), np.concatenate([rewards[1:], nothing])
    first = np.concatenate([np.zeros((1, tape.members), bool), last[:-1]])
    yield REWARD_BEFORE, np.where(first, 0.0, before)
    yield REWARD_BEFORE, before
    yield REWARD_AFTER, np.where(last, 0.0, after)
    yield REWARD_AFTER, after


def describe_other(kind: str, head: str, rows: int) -> RecoveredFlaw:
    """The flaw of targets with such rewards."""
    return RecoveredFlaw(kind=kind, head=head, count=rows, of=rows)


def find_late_rewards(tape: Tape, steps: TapeSteps, head: str) -> tuple[RecoveredFlaw, ...]:
    """The flaw of targets that are the reward of the step before where an episode ends, and not their own.

    Within episodes one reward may be like the other, so that only their ends tell.
    """
    rewards = tape.rewards.reshape(tape.times, tape.members)
    before = next(others for name, others in _list_steps(tape, rewards) if name == REWARD_BEFORE)
    late, own = steps.gather(before.reshape(-1)), steps.gather(tape.rewards)
    ends = steps.terminated & np.isfinite(steps.targets) & np.isfinite(late)
    allowed = VISIBLE * measure_spread(steps.targets)
    apart = np.abs(late - own)[ends] > allowed
    follows = np.abs(steps.targets - late)[ends] <= allowed
    if apart.sum() < FEWEST_ENDS or not follows.all():
        return ()
    return (describe_other(REWARD_BEFORE, head, int(ends.sum())),)


def add_up_rewards(tape: Tape) -> Tape | None:
    """The tape with the return so far in place of each reward; None where these are the same, or nobody knows them."""
    if not tape.is_whole:
        return None
    shape = (tape.times, tape.members)
    last = (np.asarray(tape.terminated | tape.truncated, bool) | find_cuts(tape)).reshape(shape)
    rewards = np.asarray(tape.rewards, np.float64).reshape(shape)
    summed = np.cumsum(rewards, axis=0)
    before = np.where(np.roll(last, 1, axis=0), summed - rewards, -np.inf)
    before[0] = 0.0
    starts = np.maximum.accumulate(np.where(np.isfinite(before), np.arange(tape.times)[:, None], 0), axis=0)
    totals = summed - np.take_along_axis(before, starts, axis=0)
    return replace(tape, rewards=totals.reshape(-1)) if np.any(totals != rewards) else None
