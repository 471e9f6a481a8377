"""What Stable-Baselines3 policies answer: the distribution before any draw, and the value, of every kind of policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from weaklink.adapters.answers import Answers, worst
from weaklink.base.evidence.model import Memory
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, natives

SEQUENCE, START = 4, 2
"""A short sequence of training and where in it an episode starts."""


def batched(space: Space, rows: Array) -> Any:
    """Flattened rows as a batch of observations in their native form."""
    values = natives(space, rows)
    if space.kind == "dict":
        return {key: np.stack([value[key] for value in values]) for key in space.parts}
    return np.stack(values)


def is_recurrent(policy: Any) -> bool:
    """Whether it carries a state from step to step."""
    return hasattr(policy, "lstm_actor")


def answers(policy: Any, batch: Any) -> Answers:
    """The answers to a batch in the mode that the policy is in; a recurrent one begins an episode with each."""
    tensor, _ = policy.obs_to_tensor(batch)
    with torch.no_grad():
        if is_recurrent(policy):
            count = len(next(iter(batch.values())) if isinstance(batch, dict) else batch)
            return _recurrent(policy, tensor, _states(policy, count), torch.ones(count, device=policy.device))
        for kind in (_value_based, _actor_critic, _off_policy):
            found = kind(policy, tensor)
            if found is not None:
                return found
        return Answers(_array(policy._predict(tensor, deterministic=True)), None)


def _value_based(policy: Any, tensor: Any) -> Answers | None:
    net = getattr(policy, "q_net", None) or getattr(policy, "quantile_net", None)
    return None if net is None else Answers(_array(net(tensor)), None)


def _actor_critic(policy: Any, tensor: Any) -> Answers | None:
    if not (hasattr(policy, "get_distribution") and hasattr(policy, "predict_values")):
        return None
    return Answers(_numbers(policy.get_distribution(tensor)), _array(policy.predict_values(tensor)))


def _off_policy(policy: Any, tensor: Any) -> Answers | None:
    actor, critic = getattr(policy, "actor", None), getattr(policy, "critic", None)
    if actor is None:
        return None
    if hasattr(actor, "get_action_dist_params"):
        mean, log_std, _ = actor.get_action_dist_params(tensor)
        acted = mean
        noise = log_std if log_std.shape == mean.shape else log_std.reshape(1, -1).expand(len(mean), -1)
        outputs = np.concatenate([_array(mean), _array(noise)], axis=1)
    else:
        acted = policy._predict(tensor, deterministic=True)
        outputs = _array(acted)
    if critic is None:
        return Answers(outputs, None)
    values = critic(tensor, torch.zeros_like(acted))  # the same action everywhere: only the observation may matter
    values = values if isinstance(values, tuple | list) else (values,)
    return Answers(outputs, np.concatenate([_array(value) for value in values], axis=1))


def _numbers(distribution: Any) -> Array:
    """The parameters of an SB3 distribution, whatever it is made of."""
    inside = getattr(distribution, "distribution", None)
    inside = inside if inside is not None else getattr(distribution, "distributions", distribution)
    parts: list[Array] = []
    for one in inside if isinstance(inside, list | tuple) else [inside]:
        known = ("logits",) if hasattr(one, "logits") else ("mean", "stddev")
        parts.extend(_array(getattr(one, name)) for name in known)
    return np.concatenate(parts, axis=1)


def _array(tensor: Any) -> Array:
    return np.asarray(tensor.detach().double().cpu().numpy().reshape(len(tensor), -1))


def _states(policy: Any, count: int, generator: Any = None) -> Any:
    """Zero states for so many episodes, or random ones."""
    from sb3_contrib.common.recurrent.type_aliases import RNNStates

    layers, _, width = policy.lstm_hidden_state_shape

    def one() -> Any:
        if generator is None:
            return torch.zeros(layers, count, width, device=policy.device)
        return torch.tanh(torch.randn(layers, count, width, generator=generator)).to(policy.device)

    return RNNStates((one(), one()), (one(), one()))


def _recurrent(policy: Any, tensor: Any, states: Any, starts: Any) -> Answers:
    distribution, _ = policy.get_distribution(tensor, states.pi, starts)
    return Answers(_numbers(distribution), _array(policy.predict_values(tensor, states.vf, starts)))


def memory(model: Any, batch: Any, seed: int) -> Memory:
    """Whether the state matters, and whether an episode's start wipes it out: in a step and in a sequence."""
    policy = model.policy
    policy.set_training_mode(False)
    tensor, _ = policy.obs_to_tensor(batch)
    count = len(next(iter(batch.values())) if isinstance(batch, dict) else batch)
    full = _states(policy, count, torch.Generator().manual_seed(seed))
    empty = _states(policy, count)
    going, begun = torch.zeros(count, device=policy.device), torch.ones(count, device=policy.device)
    with torch.no_grad():
        influence = worst(_recurrent(policy, tensor, full, going), _recurrent(policy, tensor, empty, going))
        step = worst(_recurrent(policy, tensor, full, begun), _recurrent(policy, tensor, empty, begun))
    return Memory(
        influence=influence,
        reset_gap=max(step, _predicted_gap(model, batch, full, empty, count)),
        sequence_gap=_sequence_gap(policy, tensor, full, empty) if count >= SEQUENCE else None,
    )


def _predicted_gap(model: Any, batch: Any, full: Any, empty: Any, count: int) -> float:
    """The same through the call that users make: `predict(observation, state, episode_start)`."""
    begun = np.ones(count, dtype=bool)
    states = [tuple(part.cpu().numpy() for part in each.pi) for each in (full, empty)]
    after = [model.predict(batch, state=state, episode_start=begun, deterministic=True)[1] for state in states]
    return worst(*(Answers(_joined(state), None) for state in after))


def _joined(state: Any) -> Array:
    return np.concatenate([np.asarray(part, dtype=float).reshape(-1) for part in state])[None]


def _sequence_gap(policy: Any, tensor: Any, full: Any, empty: Any) -> float:
    """A sequence as the update sees it, with an episode that starts in its middle: what is before must not matter."""
    taken = _first(tensor, SEQUENCE)
    starts = torch.zeros(SEQUENCE, device=policy.device)
    starts[START] = 1.0
    action = torch.as_tensor(np.stack([policy.action_space.sample()] * SEQUENCE), device=policy.device)

    def ran(states: Any) -> Answers:
        one = type(states)(*(tuple(part[:, :1].contiguous() for part in pair) for pair in states))
        values, log_probability, _ = policy.evaluate_actions(taken, action, one, starts)
        return Answers(_array(log_probability)[START:], _array(values)[START:])

    with torch.no_grad():
        return worst(ran(full), ran(empty))


def _first(tensor: Any, count: int) -> Any:
    return {key: value[:count] for key, value in tensor.items()} if isinstance(tensor, dict) else tensor[:count]


def asker(policy: Any, space: Space) -> Callable[[Array], Answers]:
    """A function from flattened rows to answers in evaluation mode."""

    def asked(rows: Array) -> Answers:
        policy.set_training_mode(False)
        return answers(policy, batched(space, rows))

    return asked
