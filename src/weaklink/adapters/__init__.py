"""One framework a file: the only rooms that import it, each loaded when a thing of its kind is met."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.evidence.protocols import Environment

_BY_ANCESTOR = (
    ("stable_baselines3.common.vec_env.base_vec_env", "VecEnv", "weaklink.adapters.sb3.environments"),
    ("torchrl.envs.common", "EnvBase", "weaklink.adapters.torchrl.environment"),
    ("gymnasium.vector.vector_env", "VectorEnv", "weaklink.adapters.gymnasium.vector"),
    ("gymnasium.core", "Env", "weaklink.adapters.gymnasium.environment"),
)
"""The module and name of a framework's class, and the adapter for whatever inherits from it."""


def environment_of(thing: Any) -> Environment:
    """The adapter around an environment object, chosen by its ancestors so that no framework is loaded for it."""
    known = {(ancestor.__module__, ancestor.__name__) for ancestor in type(thing).__mro__}
    for module, name, adapter in _BY_ANCESTOR:
        if (module, name) in known:
            return adapted(adapter, thing)
    if all(hasattr(thing, name) for name in ("reset", "step", "observation_space", "action_space")):
        return adapted("weaklink.adapters.gymnasium.environment", thing)
    raise UsageError(
        f"An environment needs reset, step, observation_space and action_space; {type(thing).__name__} is none. Give a "
        "Gymnasium environment or vector environment, an SB3 VecEnv or a TorchRL environment."
    )


def adapted(adapter: str, thing: Any) -> Environment:
    """The thing behind the adapter of this module."""
    made: Environment = import_module(adapter).environment(thing)
    return made
