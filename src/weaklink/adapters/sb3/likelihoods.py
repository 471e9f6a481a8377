"""What a policy of Stable-Baselines3 says of the actions of a rollout: log-probabilities, entropies, spread."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from gymnasium.spaces import Discrete, MultiBinary, MultiDiscrete

from weaklink.adapters.sb3.quiet import quietly
from weaklink.adapters.sb3.rollout import Held, taken
from weaklink.base.evidence.rollout import Array, Spread

MOST_NUMBERS = 4_000_000
"""Numbers in a batch of observations; fewer rows are asked for where observations are images."""

FEWEST_ROWS = 64
FLOOR_ROWS = 16


class Evaluated(NamedTuple):
    """Log-probabilities and entropies of some rows, and the noise between evaluations in batches of other sizes."""

    rows: Array
    log_probs: Array
    entropy: Array | None
    floor: float = 0.0


def chosen(rollout: Held, most: int) -> Array:
    """Numbers of rows spread evenly over a rollout, at most so many."""
    parts = rollout.observations.values() if isinstance(rollout.observations, dict) else [rollout.observations]
    size = sum(int(np.prod(part.shape[2:])) for part in parts)
    count = min(rollout.rows, most, max(FEWEST_ROWS, MOST_NUMBERS // max(size, 1)))
    return np.unique(np.linspace(0, rollout.rows - 1, count).astype(np.int64))


def evaluated(model: Any, rollout: Held, rows: Array, *, floor: bool = False) -> Evaluated:
    """What the policy says now of the stored actions in these rows, in the mode that it collects in."""
    with quietly(model.policy):
        log_probs, entropy = _asked(model, rollout, rows)
        noise = _noise(model, rollout, rows, log_probs) if floor else 0.0
    return Evaluated(rows, log_probs, entropy, noise)


def _asked(model: Any, rollout: Held, rows: Array) -> tuple[Array, Array | None]:
    policy = model.policy
    observations = tensors(taken(rollout.observations, rows), policy.device)
    options = {} if rollout.masks is None else {"action_masks": taken(rollout.masks, rows)}
    _, log_prob, entropy = policy.evaluate_actions(observations, actions_of(model, rollout, rows), **options)
    return _flat(log_prob), None if entropy is None else _flat(entropy)


def _noise(model: Any, rollout: Held, rows: Array, whole: Array) -> float:
    """How far evaluations lie apart in halves, and in the small batches that were collected with."""
    half, step = max(1, len(rows) // 2), max(1, rollout.rewards.shape[1])
    few = min(len(rows), FLOOR_ROWS * step)
    cuts = [(0, half), (half, len(rows)), *((start, min(few, start + step)) for start in range(0, few, step))]
    again = ((first, last, _asked(model, rollout, rows[first:last])[0]) for first, last in cuts if first < last)
    return max(float(np.abs(one - whole[first:last]).max()) for first, last, one in again)


def actions_of(model: Any, rollout: Held, rows: Array) -> Any:
    """Stored actions as `train` hands them to the policy."""
    actions = torch.as_tensor(taken(rollout.actions, rows), device=model.policy.device)
    return actions.long().flatten() if isinstance(model.action_space, Discrete) else actions.float()


def tensors(batch: Any, device: Any) -> Any:
    """A batch of observations on the policy's device."""
    if isinstance(batch, dict):
        return {key: torch.as_tensor(value, device=device) for key, value in batch.items()}
    return torch.as_tensor(batch, device=device)


def _flat(tensor: Any) -> Array:
    return np.asarray(tensor.detach().double().cpu().numpy().reshape(-1))


def spread(model: Any, rollout: Held, asked: Evaluated) -> Spread:
    """How random the policy is in these rows."""
    space, policy = model.action_space, model.policy
    std = scale = None
    if hasattr(space, "low") and isinstance(getattr(policy, "log_std", None), torch.Tensor) and not policy.use_sde:
        std = policy.log_std.detach().double().exp().cpu().numpy().reshape(-1)
        half = (np.asarray(space.high, np.float64) - np.asarray(space.low, np.float64)).reshape(-1) / 2.0
        scale = half if np.isfinite(half).all() else None
    masks = None if rollout.masks is None else taken(rollout.masks, asked.rows)
    return Spread(
        entropy=asked.entropy,
        largest_entropy=largest_entropy(space, masks),
        action_std=std,
        action_scale=scale,
    )


def largest_entropy(space: Any, masks: Array | None = None) -> float | None:
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
