"""What Stable-Baselines3 policies answer: the distribution before any draw, and the value, of every kind of policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from weaklink.adapters.answers import ModelAnswers, find_worst_gap
from weaklink.base.evidence.model import RecurrentMemory
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Space, unflatten_rows

SEQUENCE, START = 4, 2
"""A short sequence of training and where in it an episode starts."""


def make_batch(space: Space, rows: Array) -> Any:
    """Flattened rows as a batch of observations in their native form."""
    values = unflatten_rows(space, rows)
    if space.kind == "dict":
        return {key: np.stack([value[key] for value in values]) for key in space.parts}
    return np.stack(values)


def is_recurrent(policy: Any) -> bool:
    """Whether it carries a state from step to step."""
    return hasattr(policy, "lstm_actor")


def ask_policy(policy: Any, batch: Any) -> ModelAnswers:
    """The answers to a batch in the mode that the policy is in; a recurrent one begins an episode with each."""
    tensor, _ = policy.obs_to_tensor(batch)
    with torch.no_grad():
        if is_recurrent(policy):
            count = len(next(iter(batch.values())) if isinstance(batch, dict) else batch)
            return _ask_recurrent(policy, tensor, _make_states(policy, count), torch.ones(count, device=policy.device))
        for kind in (_ask_value_based, _ask_actor_critic, _ask_off_policy):
            found = kind(policy, tensor)
            if found is not None:
                return found
        return ModelAnswers(_to_array(policy._predict(tensor, deterministic=True)), None)


def _ask_value_based(policy: Any, tensor: Any) -> ModelAnswers | None:
    net = getattr(policy, "q_net", None) or getattr(policy, "quantile_net", None)
    return None if net is None else ModelAnswers(_to_array(net(tensor)), None)


def _ask_actor_critic(policy: Any, tensor: Any) -> ModelAnswers | None:
    if not (hasattr(policy, "get_distribution") and hasattr(policy, "predict_values")):
        return None
    return ModelAnswers(_read_parameters(policy.get_distribution(tensor)), _to_array(policy.predict_values(tensor)))


def _ask_off_policy(policy: Any, tensor: Any) -> ModelAnswers | None:
    actor, critic = getattr(policy, "actor", None), getattr(policy, "critic", None)
    if actor is None:
        return None
    if hasattr(actor, "get_action_dist_params"):
        mean, log_std, _ = actor.get_action_dist_params(tensor)
        acted = mean
        noise = log_std if log_std.shape == mean.shape else log_std.reshape(1, -1).expand(len(mean), -1)
        outputs = np.concatenate([_to_array(mean), _to_array(noise)], axis=1)
    else:
        acted = policy._predict(tensor, deterministic=True)
        outputs = _to_array(acted)
    if critic is None:
        return ModelAnswers(outputs, None)
    values = critic(tensor, torch.zeros_like(acted))  # the same action everywhere: only the observation may matter
    values = values if isinstance(values, tuple | list) else (values,)
    return ModelAnswers(outputs, np.concatenate([_to_array(value) for value in values], axis=1))


def _read_parameters(distribution: Any) -> Array:
    """The parameters of an SB3 distribution, whatever it is made of."""
    inside = getattr(distribution, "distribution", None)
    inside = inside if inside is not None else getattr(distribution, "distributions", distribution)
    parts: list[Array] = []
    for one in inside if isinstance(inside, list | tuple) else [inside]:
        known = ("logits",) if hasattr(one, "logits") else ("mean", "stddev")
        parts.extend(_to_array(getattr(one, name)) for name in known)
    return np.concatenate(parts, axis=1)


def _to_array(tensor: Any) -> Array:
    return np.asarray(tensor.detach().double().cpu().numpy().reshape(len(tensor), -1))


def _make_states(policy: Any, count: int, generator: Any = None) -> Any:
    """Zero states for so many episodes, or random ones."""
    from sb3_contrib.common.recurrent.type_aliases import RNNStates

    layers, _, width = policy.lstm_hidden_state_shape

    def one() -> Any:
        if generator is None:
            return torch.zeros(layers, count, width, device=policy.device)
        return torch.tanh(torch.randn(layers, count, width, generator=generator)).to(policy.device)

    return RNNStates((one(), one()), (one(), one()))


def _ask_recurrent(policy: Any, tensor: Any, states: Any, starts: Any) -> ModelAnswers:
    distribution, _ = policy.get_distribution(tensor, states.pi, starts)
    return ModelAnswers(_read_parameters(distribution), _to_array(policy.predict_values(tensor, states.vf, starts)))


def examine_memory(model: Any, batch: Any, seed: int) -> RecurrentMemory:
    """Whether the state matters, and whether an episode's start wipes it out: in a step and in a sequence."""
    policy = model.policy
    policy.set_training_mode(False)
    tensor, _ = policy.obs_to_tensor(batch)
    count = len(next(iter(batch.values())) if isinstance(batch, dict) else batch)
    full = _make_states(policy, count, torch.Generator().manual_seed(seed))
    empty = _make_states(policy, count)
    going, begun = torch.zeros(count, device=policy.device), torch.ones(count, device=policy.device)
    with torch.no_grad():
        influence = find_worst_gap(
            _ask_recurrent(policy, tensor, full, going), _ask_recurrent(policy, tensor, empty, going)
        )
        step = find_worst_gap(_ask_recurrent(policy, tensor, full, begun), _ask_recurrent(policy, tensor, empty, begun))
    return RecurrentMemory(
        influence=influence,
        reset_gap=max(step, _measure_predicted_gap(model, batch, full, empty, count)),
        sequence_gap=_measure_sequence_gap(policy, tensor, full, empty) if count >= SEQUENCE else None,
    )


def _measure_predicted_gap(model: Any, batch: Any, full: Any, empty: Any, count: int) -> float:
    """The same through the call that users make: `predict(observation, state, episode_start)`."""
    begun = np.ones(count, dtype=bool)
    states = [tuple(part.cpu().numpy() for part in each.pi) for each in (full, empty)]
    after = [model.predict(batch, state=state, episode_start=begun, deterministic=True)[1] for state in states]
    return find_worst_gap(*(ModelAnswers(_join_state(state), None) for state in after))


def _join_state(state: Any) -> Array:
    return np.concatenate([np.asarray(part, dtype=float).reshape(-1) for part in state])[None]


def _measure_sequence_gap(policy: Any, tensor: Any, full: Any, empty: Any) -> float:
    """A sequence as the update sees it, with an episode that starts in its middle: what is before must not matter."""
    taken = _take_first(tensor, SEQUENCE)
    starts = torch.zeros(SEQUENCE, device=policy.device)
    starts[START] = 1.0
    action = torch.as_tensor(np.stack([policy.action_space.sample()] * SEQUENCE), device=policy.device)

    def ran(states: Any) -> ModelAnswers:
        one = type(states)(*(tuple(part[:, :1].contiguous() for part in pair) for pair in states))
        values, log_probability, _ = policy.evaluate_actions(taken, action, one, starts)
        return ModelAnswers(_to_array(log_probability)[START:], _to_array(values)[START:])

    with torch.no_grad():
        return find_worst_gap(ran(full), ran(empty))


def _take_first(tensor: Any, count: int) -> Any:
    return {key: value[:count] for key, value in tensor.items()} if isinstance(tensor, dict) else tensor[:count]


def make_asker(policy: Any, space: Space) -> Callable[[Array], ModelAnswers]:
    """A function from flattened rows to answers in evaluation mode."""

    def asked(rows: Array) -> ModelAnswers:
        policy.set_training_mode(False)
        return ask_policy(policy, make_batch(space, rows))

    return asked
