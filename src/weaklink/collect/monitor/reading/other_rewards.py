"""Targets that follow an estimator with rewards that are not their own: one for all environments, a neighbour's, or all
of an episode so far."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import ONE_REWARD, OTHER_REWARD, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import Tape
from weaklink.collect.monitor.reading.tape_rows import find_cuts


def list_other_rewards(tape: Tape) -> Iterator[tuple[str, Array]]:
    """(rows,) rewards that a loop over several environments may have written where others belong, by what that is."""
    if tape.members < 2:
        return
    rewards = tape.rewards.reshape(tape.times, tape.members)
    for name, others in (
        (ONE_REWARD, np.broadcast_to(rewards[:, -1:], rewards.shape)),
        (ONE_REWARD, np.broadcast_to(rewards[:, :1], rewards.shape)),
        (ONE_REWARD, np.broadcast_to(rewards.mean(axis=1, keepdims=True), rewards.shape)),
        (ONE_REWARD, np.broadcast_to(rewards.sum(axis=1, keepdims=True), rewards.shape)),
        (OTHER_REWARD, np.roll(rewards, 1, axis=1)),
        (OTHER_REWARD, np.roll(rewards, -1, axis=1)),
    ):
        if np.any(others != rewards):
            yield name, others.reshape(-1)


def describe_other(kind: str, head: str, rows: int) -> RecoveredFlaw:
    """The flaw of targets with such rewards."""
    return RecoveredFlaw(kind=kind, head=head, count=rows, of=rows)


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
