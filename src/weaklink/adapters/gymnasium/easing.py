"""Gymnasium environments made easier, and paid for one part of their reward alone."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium

from weaklink.base.errors import UsageError

Step = tuple[Any, SupportsFloat, bool, bool, dict[str, Any]]


class OneStart(gymnasium.Wrapper):  # type: ignore[misc]
    """Begins every episode with the same seed: one start, and one goal where goals are drawn at random."""

    def __init__(self, env: Any, seed: int) -> None:
        super().__init__(env)
        self._seed = seed

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode, whatever seed is asked for."""
        begun: tuple[Any, dict[str, Any]] = self.env.reset(seed=self._seed, options=options)
        return begun


class OnlyPart(gymnasium.Wrapper):  # type: ignore[misc]
    """Pays one part of the reward, as `info` tells it, and nothing else."""

    def __init__(self, env: Any, key: str) -> None:
        super().__init__(env)
        self._key = key

    def step(self, action: Any) -> Step:
        """One step, paid anew."""
        observation, _, terminated, truncated, info = self.env.step(action)
        return observation, read_part(info, self._key), terminated, truncated, info


def read_part(info: Any, key: str) -> float:
    """The number under a key of an info; `outer.inner` looks into a mapping, and what is not there is 0."""
    value = info.get(key) if hasattr(info, "get") else None
    if value is None and "." in key and hasattr(info, "get"):
        outer, _, inner = key.partition(".")
        held = info.get(outer)
        value = held.get(inner) if hasattr(held, "get") else None
    try:
        return 0.0 if value is None else float(value)
    except (TypeError, ValueError):
        return 0.0


def eased(env: Any, *, horizon: int = 0, one_start: bool = False, part: str = "", seed: int = 0) -> Any:
    """The environment with shorter episodes, one start, or paid for one part of the reward; whatever is asked for."""
    made = gymnasium.wrappers.TimeLimit(env, horizon) if horizon else env
    made = OneStart(made, seed) if one_start else made
    return OnlyPart(made, part) if part else made


def is_vector(env: Any) -> bool:
    """Whether it is a vector of Stable-Baselines3's, of which one member can be taken."""
    return not isinstance(env, gymnasium.Env) and hasattr(env, "num_envs")


def single(env: Any) -> Any:
    """One environment that can be wrapped: itself, or the first member of a vector without the vector's own wrappers.

    Raises:
        UsageError: there is none to be had.
    """
    if isinstance(env, gymnasium.Env):
        return env
    inner = env
    while getattr(inner, "venv", None) is not None:
        inner = inner.venv
    members = getattr(inner, "envs", None)
    if members:
        return members[0]
    raise UsageError(
        f"The smallest agent is trained in a Gymnasium environment, and make_env returns {type(env).__name__}. "
        "Have make_env return one environment, not a vector in other processes."
    )
