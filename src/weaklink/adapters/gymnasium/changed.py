"""Environments with one thing changed for an experiment: the size of their rewards, the scale of what is seen."""

from __future__ import annotations

from importlib import import_module, util
from typing import Any

import gymnasium

from weaklink.base.errors import UsageError


class ScaledReward(gymnasium.RewardWrapper):  # type: ignore[misc]
    """Pays `factor` times as much."""

    def __init__(self, env: Any, factor: float) -> None:
        super().__init__(env)
        self._factor = factor

    def reward(self, reward: Any) -> float:
        """The reward of one step."""
        return float(reward) * self._factor


def scaled(env: Any, factor: float) -> Any:
    """The environment with every reward multiplied; episodes that are counted inside keep their own unit."""
    if _is_vector_of_sb3(env):
        return import_module("weaklink.adapters.sb3.scaled").ScaledRewards(env, factor)
    if not isinstance(env, gymnasium.Env):
        raise UsageError(f"Rewards can be scaled in Gymnasium and SB3 environments, not in {type(env).__name__}.")
    return ScaledReward(_wrap_in_monitor(env), factor)


def normalised(env: Any) -> Any:
    """The environment with what is seen brought to mean 0 and spread 1 by running statistics."""
    if _is_vector_of_sb3(env):
        return import_module("weaklink.adapters.sb3.scaled").normalise_observations(env)
    if not isinstance(env, gymnasium.Env) or not isinstance(env.observation_space, gymnasium.spaces.Box):
        raise UsageError("Observations can be normalised where they are one array of numbers (a Box).")
    return gymnasium.wrappers.NormalizeObservation(env)


def _is_vector_of_sb3(env: Any) -> bool:
    return any(kind.__name__ == "VecEnv" for kind in type(env).__mro__)


def _wrap_in_monitor(env: Any) -> Any:
    """With SB3's own counter of episodes inside, so that it does not put one around the scaled rewards."""
    if util.find_spec("stable_baselines3") is None:
        return env
    return import_module("weaklink.adapters.sb3.scaled").wrap_in_monitor(env)
