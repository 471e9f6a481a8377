"""A user's own class of a Stable-Baselines3 algorithm, or own policy, as a trainer that can be probed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import msgspec
from stable_baselines3.common.vec_env import DummyVecEnv

from weaklink.adapters.sb3.agent import make_agent
from weaklink.adapters.sb3.attached import LIBRARIES, algorithm_of
from weaklink.adapters.sb3.trainer import MEMBERS, SETTINGS, TRAITS, fit_settings, pick_policy
from weaklink.base.evidence.traits import ACTIONS, FORMS, Traits


def list_own_parts(model: Any) -> tuple[str, ...]:
    """The names of the user's own classes that a model is made of: algorithm, policy, and what the policy is given."""
    given = [value for value in _read_policy_settings(model).values() if isinstance(value, type)]
    several = (type(model), model.policy_class, *given, *_find_buffers(model).values())
    return tuple(dict.fromkeys(each.__name__ for each in several if _own(each)))


def make_trainer_like(model: Any) -> Callable[..., Any]:
    """The trainer of a model's own class and policy, with the settings that are made for the ladder."""
    name, algorithm = algorithm_of(model), type(model)
    policy = model.policy_class if _own(model.policy_class) else None
    given, buffers = _read_policy_settings(model), _find_buffers(model)
    kept = given if policy is not None or any(_own(each) for each in given.values()) else {}

    def train(make_env: Callable[[], Any], steps: int, seed: int, gamma: float = 0.9) -> Any:
        environment = DummyVecEnv([make_env] * MEMBERS.get(name, 1))
        form = pick_policy(environment.observation_space, name)
        settings = deepcopy(fit_settings(SETTINGS.get(name, {}), form))
        settings |= {part: each for part, each in buffers.items() if _own(each)}
        if kept:
            settings["policy_kwargs"] = {**settings.get("policy_kwargs", {}), **deepcopy(kept)}
        chosen = _select_settings(algorithm, {**settings, "gamma": gamma, "seed": seed, "device": "cpu"})
        trained = algorithm(policy or form, environment, **chosen)
        trained.learn(steps)
        return make_agent(trained, gamma if "gamma" in chosen else None)

    traits = msgspec.structs.replace(TRAITS.get(name, Traits()), guessed=(ACTIONS, FORMS))
    train.traits = traits  # type: ignore[attr-defined]
    return train


def _own(thing: Any) -> bool:
    """Whether a class comes from the user and from no library."""
    return isinstance(thing, type) and thing.__module__.partition(".")[0] not in (*LIBRARIES, "torch", "builtins")


def _read_policy_settings(model: Any) -> dict[str, Any]:
    return dict(getattr(model, "policy_kwargs", None) or {})


def _find_buffers(model: Any) -> dict[str, Any]:
    """The classes that keep its experience, by the name of the argument."""
    found = {name: getattr(model, name, None) for name in ("rollout_buffer_class", "replay_buffer_class")}
    return {name: kind for name, kind in found.items() if kind is not None}


def _select_settings(algorithm: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a class takes; one that hands everything on takes them all."""
    parameters = inspect.signature(algorithm).parameters
    if any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters.values()):
        return dict(settings)
    return {name: value for name, value in settings.items() if name in parameters}
