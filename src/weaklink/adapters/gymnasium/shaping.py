"""Shaping that keeps the best policy: a wrapper that adds the difference of a potential to the reward."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite
from typing import Any, SupportsFloat

import gymnasium
from gymnasium.error import ResetNeeded
from gymnasium.utils import RecordConstructorArgs

from weaklink.base.errors import UsageError


class PotentialShaping(gymnasium.Wrapper, RecordConstructorArgs):  # type: ignore[misc]
    """Adds `gamma * potential(next observation) - potential(observation)` to every reward.

    Terminal states count as potential 0, states at a time limit keep theirs. Added up over an episode and discounted,
    the terms come to minus the potential of its first state (and, where a time limit cut it, the discounted potential
    of its last), whatever the policy did: so the best policy stays the best one (Ng, Harada and Russell, 1999).
    `gamma` must be the learner's own discount. `info` tells the parts as `reward_task` and `reward_shaping`.

    Args:
        env: The environment to wrap.
        potential: How good an observation is, such as minus the distance to the goal.
        gamma: The discount of the learner.
        scale: A factor on the potential.

    Raises:
        UsageError: If `gamma` lies outside [0, 1] or `scale` is not finite.
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, Any],
        potential: Callable[[Any], SupportsFloat],
        gamma: float,
        *,
        scale: float = 1.0,
    ) -> None:
        if not 0.0 <= gamma <= 1.0:
            raise UsageError(
                f"gamma of PotentialShaping must lie in [0, 1], not {gamma!r}: give the learner's discount."
            )
        if not isfinite(scale):
            raise UsageError(f"scale of PotentialShaping must be a finite number, not {scale!r}.")
        RecordConstructorArgs.__init__(self, potential=potential, gamma=gamma, scale=scale)
        gymnasium.Wrapper.__init__(self, env)
        self.potential = potential
        self.gamma = gamma
        self.scale = scale
        self._here: float | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        observation, info = self.env.reset(seed=seed, options=options)
        self._here = self._potential(observation)
        return observation, info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        if self._here is None:
            raise ResetNeeded("PotentialShaping needs env.reset() before the first env.step().")
        observation, reward, terminated, truncated, info = self.env.step(action)
        there = 0.0 if terminated else self._potential(observation)
        shaping = self.gamma * there - self._here
        self._here = there
        parts = {"reward_task": float(reward), "reward_shaping": shaping}
        return observation, float(reward) + shaping, terminated, truncated, {**info, **parts}

    def _potential(self, observation: Any) -> float:
        return self.scale * float(self.potential(observation))
