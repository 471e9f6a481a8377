"""The rollout of an on-policy model of Stable-Baselines3, held from its collecting to the end of the update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from weaklink.adapters.sb3.policy import is_recurrent
from weaklink.adapters.sb3.quiet import is_torch, use_quietly
from weaklink.base.evidence.rollout import Array, Estimates

STATES = ("hidden_states_pi", "cell_states_pi", "hidden_states_vf", "cell_states_vf")


@dataclass(frozen=True, eq=False, kw_only=True)
class HeldRollout:
    """The arrays of a rollout buffer in the order of time: (T, N) and further axes.

    They are the buffer's own, not copies: learning from a rollout reads them, and the next one gets new arrays.
    """

    observations: Any
    actions: Array
    rewards: Array
    values: Array
    log_probs: Array
    advantages: Array
    returns: Array
    starts: Array
    ended: Array
    last_value: Array | None
    masks: Array | None
    states: tuple[Array, ...] | None

    @property
    def rows(self) -> int:
        """Steps of all environments."""
        return int(self.rewards.size)


def read_rollout(model: Any, given: dict[str, Any]) -> HeldRollout | None:
    """The rollout that a model has just collected; None where its buffer keeps no order of time.

    Args:
        model: an on-policy model at the end of its collecting.
        given: the local variables of `collect_rollouts`.
    """
    buffer = model.rollout_buffer
    if getattr(buffer, "generator_ready", False) or np.ndim(buffer.rewards) != 2:
        return None
    starts = np.asarray(buffer.episode_starts)
    last = np.asarray(given.get("dones", model._last_episode_starts), dtype=bool).reshape(1, -1)
    observations = buffer.observations
    return HeldRollout(
        observations=dict(observations) if isinstance(observations, dict) else observations,
        actions=buffer.actions,
        rewards=buffer.rewards,
        values=buffer.values,
        log_probs=buffer.log_probs,
        advantages=buffer.advantages,
        returns=buffer.returns,
        starts=starts,
        ended=np.concatenate([starts[1:] > 0.5, last]),
        last_value=_ask_last_value(model, given, last[0]),
        masks=getattr(buffer, "action_masks", None),
        states=tuple(getattr(buffer, name) for name in STATES) if hasattr(buffer, STATES[0]) else None,
    )


def _ask_last_value(model: Any, given: dict[str, Any], ended: Array) -> Array | None:
    """The value of the observation after the last step, asked anew: not every algorithm tells it."""
    policy = model.policy
    if not is_torch(policy) or not hasattr(policy, "predict_values"):
        told = np.asarray(given.get("values", np.nan)).reshape(-1)
        stale = np.array_equal(told, model.rollout_buffer.values[-1])  # not told again after the last step
        return None if stale or told.shape != ended.shape else told
    import torch

    with use_quietly(policy):
        observation, _ = policy.obs_to_tensor(model._last_obs)
        if is_recurrent(policy):
            begun = torch.as_tensor(ended, dtype=torch.float32, device=policy.device)
            value = policy.predict_values(observation, model._last_lstm_states.vf, begun)
        else:
            value = policy.predict_values(observation)
        return np.asarray(value.cpu().numpy().reshape(-1))


def read_estimates(model: Any, rollout: HeldRollout) -> Estimates:
    """What was made of rewards and values.

    At time limits Stable-Baselines3 adds the discounted value of the last observation to the reward and then treats
    them as any other end, so every end is one that nothing follows.
    """
    return Estimates(
        rewards=rollout.rewards,
        values=rollout.values,
        terminated=rollout.ended,
        last_value=rollout.last_value,
        gamma=float(model.gamma),
        lam=float(model.gae_lambda),
        advantages=rollout.advantages,
        returns=rollout.returns,
    )


def flatten_observations(observations: Any, axes: int) -> Array:
    """Observations with every axis after the first `axes` made one; those of a dictionary side by side, by name."""
    if isinstance(observations, dict):
        parts = [flatten_observations(observations[key], axes) for key in sorted(observations)]
        return np.concatenate(parts, axis=-1)
    values = np.asarray(observations)
    return values.reshape(*values.shape[:axes], -1)


def take_rows(arrays: Any, rows: Array) -> Any:
    """Rows of arrays (T, N, ...) by their number, time first."""
    if isinstance(arrays, dict):
        return {key: take_rows(value, rows) for key, value in arrays.items()}
    values = np.asarray(arrays)
    return values.reshape(values.shape[0] * values.shape[1], *values.shape[2:])[rows]
