"""Targets that follow an estimator with rewards that are not their own: one for all environments, or a neighbour's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.recovered import ONE_REWARD, OTHER_REWARD, RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import Tape


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
