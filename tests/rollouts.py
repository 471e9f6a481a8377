"""Rollouts to build evidence from, made as a plain trainer makes them: a step at a time, in 32-bit numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.rollout import Estimates, Rollout


def experience(
    steps: int = 128, members: int | None = 2, *, seed: int = 0, ends: float = 0.05, cuts: float = 0.0
) -> dict[str, Any]:
    """Rewards, values and ends as they fall out of a collector."""
    rng = np.random.default_rng(seed)
    shape = (steps,) if members is None else (steps, members)
    terminated = rng.random(shape) < ends
    truncated = (rng.random(shape) < cuts) & ~terminated
    return {
        "rewards": rng.normal(1.0, 0.5, shape).astype(np.float32),
        "values": rng.normal(5.0, 2.0, shape).astype(np.float32),
        "terminated": terminated,
        "truncated": truncated,
        "final_values": rng.normal(5.0, 2.0, shape).astype(np.float32),
        "last_value": rng.normal(5.0, 2.0, shape[1:]).astype(np.float32),
        "gamma": 0.99,
        "lam": 0.95,
    }


def naive_advantages(made: dict[str, Any]) -> np.ndarray:
    """Advantages by the loop that everyone writes, in 32-bit numbers."""
    rewards, values, gamma, lam = made["rewards"], made["values"], np.float32(made["gamma"]), np.float32(made["lam"])
    advantages = np.zeros_like(rewards)
    running = np.zeros_like(rewards[0])
    for step in reversed(range(len(rewards))):
        following = values[step + 1] if step + 1 < len(rewards) else made["last_value"]
        ended = made["terminated"][step] | made["truncated"][step]
        following = np.where(ended, made["final_values"][step], following)
        going_on = (~made["terminated"][step]).astype(np.float32)
        error = rewards[step] + gamma * following * going_on - values[step]
        running = error + gamma * lam * (~ended).astype(np.float32) * running
        advantages[step] = running
    return advantages


def estimated(made: dict[str, Any], **given: Any) -> Rollout:
    """A rollout of this experience; advantages are the naive ones and returns follow from them unless given."""
    fields = dict(made)
    fields.setdefault("advantages", naive_advantages(made))
    fields.setdefault("returns", fields["advantages"] + made["values"])
    return look(estimates=Estimates(**(fields | given)))


def look(**parts: Any) -> Rollout:
    """One look with these parts."""
    return Rollout(**({"step": 2048.0, "update": 1, "family": "on-policy"} | parts))
