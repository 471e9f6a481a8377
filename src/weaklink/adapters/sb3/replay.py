"""The replay buffer of a Stable-Baselines3 model: its newest rows, and the values of a batch."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.adapters.sb3.attached import LIBRARIES
from weaklink.adapters.sb3.quiet import is_torch, use_quietly
from weaklink.adapters.sb3.rollout import flatten_observations
from weaklink.adapters.sb3.steps import StepCopies, check_storage, compare_actions, read_given_parts
from weaklink.adapters.sb3.target_networks import measure_distance
from weaklink.base.evidence.rollout import Array, Pairing

ROWS = 256
KEPT = ("observations", "next_observations", "actions", "rewards", "dones", "timeouts")


def read_stored_parts(model: Any, steps: StepCopies) -> dict[str, Any]:
    """The rows that these steps were stored in, as parts of a look; nothing where the buffer keeps no such rows."""
    buffer = model.replay_buffer
    arrays: dict[str, Any] = {name: getattr(buffer, name, None) for name in KEPT}
    if len(steps) > buffer.buffer_size or any(arrays[name] is None for name in ("observations", "rewards", "dones")):
        return {}
    places = np.array(steps.places)
    given = read_given_parts(steps)
    observations = flatten_observations(_take_rows(arrays["observations"], places), 2)
    following = arrays["next_observations"]
    return {
        "pairing": Pairing(
            observations=observations,
            next_observations=None if following is None else flatten_observations(_take_rows(following, places), 2),
            rewards=arrays["rewards"][places],
            stored_ended=_find_masked(arrays, places),
            **given,
        ),
        "actions": None if arrays["actions"] is None else compare_actions(model, arrays["actions"][places], steps),
        "storage": check_storage(arrays, observations, given["given_observations"]),
    }


def _find_masked(arrays: dict[str, Any], places: Array) -> Array:
    """Where the learner takes nothing to follow: at ends that are no time limits, where these are kept apart."""
    ended = np.asarray(arrays["dones"][places] > 0.5)
    return ended if arrays["timeouts"] is None else ended & ~(arrays["timeouts"][places] > 0.5)


def _take_rows(arrays: Any, places: Array) -> Any:
    return {key: part[places] for key, part in arrays.items()} if isinstance(arrays, dict) else arrays[places]


def measure_batch(model: Any) -> dict[str, float]:
    """Values, their spread over twins, the distance of the slow copies and the entropy, on a batch from the buffer."""
    numbers = {"data.buffer_size": float(model.replay_buffer.size() * model.n_envs)}
    if not is_torch(model.policy):
        return numbers
    with use_quietly(model.policy):
        batch = _draw_batch(model)
        if batch is not None:
            numbers |= _measure_values(model, batch) | _measure_entropy(model, batch)
        apart = measure_distance(model)
    return numbers if apart is None else {**numbers, "value.target_distance": apart}


def _draw_batch(model: Any) -> Any:
    """A batch drawn as the trainer draws; a buffer of the user's own may count its draws and is left alone."""
    buffer = model.replay_buffer
    if type(buffer).__module__.partition(".")[0] not in LIBRARIES:
        return None
    return buffer.sample(min(ROWS, int(model.batch_size)), env=model.get_vec_normalize_env())


def _measure_values(model: Any, batch: Any) -> dict[str, float]:
    if hasattr(model, "q_net"):
        twins = [model.q_net(batch.observations).gather(1, batch.actions.long())]
    elif hasattr(model, "quantile_net"):
        twins = [model.quantile_net(batch.observations).mean(dim=1).gather(1, batch.actions.long())]
    elif hasattr(model, "critic"):
        values = model.critic(batch.observations, batch.actions)
        twins = list(values) if isinstance(values, tuple | list) else list(values.mean(dim=2).unbind(dim=1))
    else:
        return {}
    found = [each.double().cpu().numpy().reshape(-1) for each in twins]
    numbers = {
        "value.q_mean": float(found[0].mean()),
        "value.q_min": float(min(each.min() for each in found)),
        "value.q_max": float(max(each.max() for each in found)),
    }
    if len(found) > 1:
        numbers |= {"value.q2_mean": float(found[1].mean())}
        numbers |= {"value.q_twin_spread": float(np.abs(found[0] - found[1]).mean())}
    return numbers


def _measure_entropy(model: Any, batch: Any) -> dict[str, float]:
    actor = getattr(model, "actor", None)
    if actor is None or not hasattr(actor, "action_log_prob"):
        return {}
    _, log_prob = actor.action_log_prob(batch.observations)
    return {"exploration.entropy": float(-log_prob.double().mean())}
