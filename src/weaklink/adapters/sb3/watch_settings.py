"""The hyper-parameters of a Stable-Baselines3 model by its own names, and how its state is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weaklink.adapters.sb3.attached import algorithm_of
from weaklink.adapters.sb3.normaliser_use import find_normaliser

PLAIN = (bool, int, float, str)

INNER = frozenset(("num_timesteps", "verbose", "start_time", "n_envs"))
"""Plain attributes that are counters or manners of printing."""

SCHEDULES = ("learning_rate", "clip_range", "clip_range_vf")


def read_settings(model: Any) -> dict[str, Any]:
    """Every hyper-parameter: plain attributes, schedules by their first value, networks, spaces and wrappers."""
    found: dict[str, Any] = {"algorithm": algorithm_of(model), "policy": type(model.policy).__name__}
    own = {name: value for name, value in vars(model).items() if not name.startswith("_") and name not in INNER}
    found |= {name: value for name, value in own.items() if isinstance(value, PLAIN)}
    for name in SCHEDULES:
        value = getattr(model, name, None)
        if callable(value):
            found[name] = float(value(1.0))
            found[f"{name}_schedule"] = type(value).__name__
    frequency = getattr(model, "train_freq", None)
    if frequency is not None:
        found["train_freq"] = getattr(frequency, "frequency", frequency)
        found["train_freq_unit"] = str(getattr(getattr(frequency, "unit", None), "value", ""))
    return found | _read_networks(model) | _read_spaces(model) | _read_environment(model)


def _read_networks(model: Any) -> dict[str, Any]:
    given = dict(getattr(model, "policy_kwargs", None) or {})
    found = {"policy_kwargs": str(given), "device": str(model.device)}
    for name, value in (("net_arch", given.get("net_arch")), ("activation_fn", given.get("activation_fn"))):
        chosen = value if value is not None else getattr(model.policy, name, None)
        if chosen is not None:
            found[name] = getattr(chosen, "__name__", None) or str(chosen)
    return found


def _read_spaces(model: Any) -> dict[str, Any]:
    actions, observations = model.action_space, model.observation_space
    found: dict[str, Any] = {"action_space": str(actions), "observation_space": str(observations)}
    if hasattr(actions, "low"):
        found["action_dim"] = int(actions.low.size)
    elif type(actions).__name__ == "Discrete":
        found["n_actions"] = int(actions.n)
    if getattr(observations, "shape", None):
        size = 1
        for length in observations.shape:
            size *= int(length)
        found["obs_dim"] = size
    return found


def _read_environment(model: Any) -> dict[str, Any]:
    environment = model.get_env()
    if environment is None:
        return {}
    found: dict[str, Any] = {"n_envs": int(environment.num_envs), "vec_env": type(environment.unwrapped).__name__}
    spec = next(iter(environment.get_attr("spec", 0)), None)
    if spec is not None:
        found["env_id"] = spec.id
        found["max_episode_steps"] = spec.max_episode_steps
    normaliser = find_normaliser(environment)
    found["normalize"] = normaliser is not None
    if normaliser is not None:
        found["norm_obs"], found["norm_reward"] = bool(normaliser.norm_obs), bool(normaliser.norm_reward)
        found["clip_obs"], found["norm_gamma"] = float(normaliser.clip_obs), float(normaliser.gamma)
    return found


def save(model: Any, folder: str) -> None:
    """Saves the model into a folder, with the statistics of its normaliser beside it."""
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    model.save(place / "model.zip")
    normaliser = model.get_vec_normalize_env()
    if normaliser is not None:
        normaliser.save(str(place / "vecnormalize.pkl"))
