"""What a policy of Stable-Baselines3 says of the actions of a rollout: log-probabilities, entropies, spread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Discrete, MultiBinary, MultiDiscrete

from weaklink.adapters.sb3.quiet import use_quietly
from weaklink.adapters.sb3.rollout import HeldRollout, take_rows
from weaklink.base.evidence.rollout import Array, PolicySpread

MOST_NUMBERS = 4_000_000
"""Numbers in a batch of observations; fewer rows are asked for where observations are images."""

FEWEST_ROWS = 64
FLOOR_ROWS = 16


class EvaluatedRows(NamedTuple):
    """Log-probabilities and entropies of some rows, and the noise between evaluations in batches of other sizes."""

    rows: Array
    log_probs: Array
    entropy: Array | None
    floor: float = 0.0


def choose_rows(rollout: HeldRollout, most: int) -> Array:
    """Numbers of rows spread evenly over a rollout, at most so many."""
    parts = rollout.observations.values() if isinstance(rollout.observations, dict) else [rollout.observations]
    size = sum(int(np.prod(part.shape[2:])) for part in parts)
    count = min(rollout.rows, most, max(FEWEST_ROWS, MOST_NUMBERS // max(size, 1)))
    return np.unique(np.linspace(0, rollout.rows - 1, count).astype(np.int64))


def evaluate_rows(model: Any, rollout: HeldRollout, rows: Array, *, floor: bool = False) -> EvaluatedRows:
    """What the policy says now of the stored actions in these rows, in the mode that it collects in."""
    with use_quietly(model.policy):
        log_probs, entropy = _ask_policy(model, rollout, rows)
        noise = _measure_noise(model, rollout, rows, log_probs) if floor else 0.0
    return EvaluatedRows(rows, log_probs, entropy, noise)


def _ask_policy(model: Any, rollout: HeldRollout, rows: Array) -> tuple[Array, Array | None]:
    policy = model.policy
    observations = to_tensors(take_rows(rollout.observations, rows), policy.device)
    options = {} if rollout.masks is None else {"action_masks": take_rows(rollout.masks, rows)}
    _, log_prob, entropy = policy.evaluate_actions(observations, read_actions(model, rollout, rows), **options)
    return _flatten(log_prob), None if entropy is None else _flatten(entropy)


def _measure_noise(model: Any, rollout: HeldRollout, rows: Array, whole: Array) -> float:
    """How far evaluations lie apart in halves, and in the small batches that were collected with."""
    half, step = max(1, len(rows) // 2), max(1, rollout.rewards.shape[1])
    few = min(len(rows), FLOOR_ROWS * step)
    cuts = [(0, half), (half, len(rows)), *((start, min(few, start + step)) for start in range(0, few, step))]
    again = ((first, last, _ask_policy(model, rollout, rows[first:last])[0]) for first, last in cuts if first < last)
    return max(float(np.abs(one - whole[first:last]).max()) for first, last, one in again)


def read_actions(model: Any, rollout: HeldRollout, rows: Array) -> Any:
    """Stored actions as `train` hands them to the policy."""
    actions = torch.as_tensor(take_rows(rollout.actions, rows), device=model.policy.device)
    return actions.long().flatten() if isinstance(model.action_space, Discrete) else actions.float()


def to_tensors(batch: Any, device: Any) -> Any:
    """A batch of observations on the policy's device."""
    if isinstance(batch, dict):
        return {key: torch.as_tensor(value, device=device) for key, value in batch.items()}
    return torch.as_tensor(batch, device=device)


def _flatten(tensor: Any) -> Array:
    return np.asarray(tensor.detach().double().cpu().numpy().reshape(-1))


def measure_spread(model: Any, rollout: HeldRollout, asked: EvaluatedRows) -> PolicySpread:
    """How random the policy is in these rows."""
    space, policy = model.action_space, model.policy
    std = scale = None
    if hasattr(space, "low") and isinstance(getattr(policy, "log_std", None), torch.Tensor) and not policy.use_sde:
        std = policy.log_std.detach().double().exp().cpu().numpy().reshape(-1)
        half = (np.asarray(space.high, np.float64) - np.asarray(space.low, np.float64)).reshape(-1) / 2.0
        scale = half if np.isfinite(half).all() else None
    masks = None if rollout.masks is None else take_rows(rollout.masks, asked.rows)
    return PolicySpread(
        entropy=asked.entropy,
        largest_entropy=compute_largest_entropy(space, masks),
        action_std=std,
        action_scale=scale,
    )


def compute_largest_entropy(space: Any, masks: Array | None = None) -> float | None:
    """The entropy of choosing evenly, on average over the rows where masks leave less choice; None for numbers."""
    if isinstance(space, MultiDiscrete):
        choices = [int(each) for each in np.reshape(space.nvec, -1)]
    elif isinstance(space, MultiBinary):
        choices = [2] * int(np.prod(space.shape))
    elif isinstance(space, Discrete):
        choices = [int(space.n)]
    else:
        return None
    if masks is None:
        return float(np.log(choices).sum())
    parts = np.split(masks.reshape(len(masks), -1) > 0.5, np.cumsum(choices)[:-1], axis=1)
    return float(sum(np.log(np.maximum(part.sum(axis=1), 1)) for part in parts).mean())
