"""What the network of a Stable-Baselines3 model is given: after wrappers, normalisers, stacking and preprocessing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from stable_baselines3.common.preprocessing import preprocess_obs

from weaklink.base.evidence.series import Array

WARM_UP = 256


def record_network_inputs(model: Any, environment: Any, steps: int, seed: int) -> dict[str, tuple[str, Array]]:
    """Plays at random and hands over what the network gets, by part of the observation.

    Args:
        model: whose network it is.
        environment: the vector to play in, normalisers and all. They are set by a first play and then held still, so
            that an entry that never changes is not made to look as if it did.
        steps: how many rows.
        seed: of the play.

    Returns:
        for each part (one, named empty, where the observation has none) the type of number that the environment hands
        out, and an array with one row a step as the network gets it.
    """
    policy = model.policy
    environment.seed(seed)
    environment.action_space.seed(seed)
    _play(environment, WARM_UP if any(_normalises(layer) for layer in _list_layers(environment)) else 0)
    for layer in filter(_normalises, _list_layers(environment)):
        layer.training = False
    seen = _play(environment, steps)
    if isinstance(seen[0], Mapping):
        batch: Any = {key: np.concatenate([each[key][:1] for each in seen]) for key in seen[0]}
    else:
        batch = np.concatenate([each[:1] for each in seen])
    tensor, _ = policy.obs_to_tensor(batch)
    ready = preprocess_obs(tensor, policy.observation_space, normalize_images=policy.normalize_images)
    if isinstance(ready, Mapping):
        return {key: (str(batch[key].dtype), _to_array(part)) for key, part in ready.items()}
    return {"": (str(batch.dtype), _to_array(ready))}


def _play(environment: Any, steps: int) -> list[Any]:
    seen = [environment.reset()] if steps else []
    for _ in range(steps - 1):
        actions = np.array([environment.action_space.sample() for _ in range(environment.num_envs)])
        seen.append(environment.step(actions)[0])
    return seen


def _list_layers(environment: Any) -> Iterator[Any]:
    while environment is not None:
        yield environment
        environment = getattr(environment, "venv", None)


def _normalises(layer: Any) -> bool:
    return hasattr(layer, "obs_rms") and hasattr(layer, "training")


def _to_array(tensor: Any) -> Array:
    return np.asarray(tensor.detach().cpu().numpy())
