"""A rollout of an on-policy trainer, put together from what was read of an update: none of it is what the trainer says.

Rewards and ends come from the tape, values from what the critic answered while collecting, returns from what its loss
pulled each value towards, advantages from how strongly the policy's loss made each action likelier.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.rollout import UPDATED, Array, Estimates, Rollout
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.advantages import gae
from weaklink.collect.monitor.critic_reading import CriticReading, read_critic
from weaklink.collect.monitor.policy_reading import PolicyReading, read_policy

FEWEST_ROWS = 32
"""Rows of a rollout below which nothing is made of it."""

FEWEST_KNOWN = 0.95
"""The share of rows whose target must be known; a clipped loss is silent about some."""


def assemble_rollout(reading: UpdateReading, step: float, config: Mapping[str, Any]) -> Rollout | None:
    """The rollout of an update that was read; None where its estimator could not be read."""
    critic = read_critic(reading)
    if critic is None or critic.trace is None or not _is_known(critic):
        return None
    told, trace = Config.of(dict(config)).values, critic.trace
    gamma = _read_number(told.get("gamma"), trace.gamma)
    lam = _read_number(told.get("gae_lambda"), trace.lam)
    policy = read_policy(reading, _estimate_advantages(critic, reading), critic.head)
    steps = critic.steps
    right = _estimate_rightly(critic, gamma, lam)
    estimates = Estimates(
        rewards=steps.rewards,
        values=steps.values,
        terminated=steps.terminated,
        truncated=steps.truncated,
        last_value=_read_last(critic),
        final_values=_read_finals(critic),
        gamma=gamma,
        lam=lam,
        advantages=_read_advantages(policy, critic, reading, right),
        returns=np.where(np.isfinite(steps.targets), steps.targets, right + steps.values),
    )
    return Rollout(
        step=step,
        update=reading.update,
        moment=UPDATED,
        algorithm=str(config.get("algorithm", "")),
        family="on-policy",
        estimates=estimates,
        notes=reading.left_out,
    )


def _is_known(critic: CriticReading) -> bool:
    """Whether values are known everywhere and targets almost everywhere that the environment was not only reset."""
    counted = ~critic.fillers
    known = np.isfinite(critic.steps.targets)[counted]
    return bool(known.size >= FEWEST_ROWS and known.mean() >= FEWEST_KNOWN and np.isfinite(critic.steps.values).all())


def _read_number(told: Any, fitted: float | None) -> float | None:
    return float(told) if isinstance(told, int | float) and not isinstance(told, bool) else fitted


def _estimate_advantages(critic: CriticReading, reading: UpdateReading) -> Array:
    """What the targets are above the values, by row of the tape."""
    found = np.full((reading.tape.times, reading.tape.members), np.nan)
    found[critic.times] = critic.steps.targets - critic.steps.values
    return found.reshape(-1)


def _read_advantages(
    policy: PolicyReading | None, critic: CriticReading, reading: UpdateReading, right: Array
) -> Array | None:
    """The advantages that the policy's loss used; rows that it was silent about get the right one."""
    if policy is None or policy.advantages is None:
        return None
    tape = reading.tape
    used = policy.advantages.reshape(tape.times, tape.members)[critic.times]
    if np.isfinite(used).mean() < FEWEST_KNOWN:
        return None
    return np.where(np.isfinite(used), used, right)


def _read_last(critic: CriticReading) -> Array | None:
    steps = critic.steps
    last = np.where(steps.ended[-1], 0.0, steps.next_values[-1])
    return last if np.isfinite(last).all() else None


def _read_finals(critic: CriticReading) -> Array | None:
    """Values of the last observations of episodes; None where the critic was not asked about one that was cut."""
    steps = critic.steps
    finals = np.where(steps.truncated, steps.next_values, 0.0)
    return finals if steps.truncated.any() and np.isfinite(finals).all() else None


def _estimate_rightly(critic: CriticReading, gamma: float | None, lam: float | None) -> Array:
    """The right advantages: they take the place of those that are not known, so that such rows accuse nobody."""
    steps = critic.steps
    if gamma is None or lam is None:
        return np.nan_to_num(steps.targets - steps.values)
    last, finals = _read_last(critic), _read_finals(critic)
    flags = steps.terminated, steps.truncated
    return np.asarray(gae(steps.rewards, steps.values, *flags, 0.0 if last is None else last, gamma, lam, finals))
