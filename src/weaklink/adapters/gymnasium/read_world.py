"""A Gymnasium environment made for reading updates: no two observations, rewards or episodes are alike.

Every row of a minibatch is found again by its observation, and the numbers of any estimator follow from rows that
differ in everything: rewards of both signs, episodes of one step and of many, real ends and time limits.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np

COLUMNS = 4
CHOICES, DIMENSIONS = 3, 2
"""With three choices a gradient tells which one was scored; with two dimensions, whether they were added up."""

REACH = 5.0
"""Bounds of continuous actions: a usual spread of 1 or less hardly ever reaches them, and a clipped action tells less
than a free one."""

NOISE = 0.3
LONGEST = 40
"""Steps of the longest episode. Lengths are drawn evenly by their logarithm, so that short ones are frequent and a
rollout of any usual length has episodes that go on beyond it."""

_made = itertools.count()


class ReadEnvironment(gymnasium.Env):  # type: ignore[misc]
    """An environment whose every row is its own.

    Args:
        continuous: whether actions are numbers instead of choices.
        on_step: called before each step.
        spaces: those of observations and actions to show, where they are of numbers and of choices or numbers.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  Gymnasium's own

    def __init__(
        self,
        *,
        continuous: bool = False,
        on_step: Callable[[], object] | None = None,
        spaces: tuple[Any, Any] | None = None,
    ) -> None:
        seen, done = spaces if spaces is not None and _are_plain(*spaces) else (None, None)
        own = gymnasium.spaces.Box(-REACH, REACH, (DIMENSIONS,), np.float32)
        self.observation_space: Any = seen or gymnasium.spaces.Box(-1.0, 1.0, (COLUMNS,), np.float32)
        self.action_space: Any = done or (own if continuous else gymnasium.spaces.Discrete(CHOICES))
        self._continuous, self._on_step = isinstance(self.action_space, gymnasium.spaces.Box), on_step
        # members that a trainer gives one seed must not show the same
        self._member = next(_made)
        self._rng = np.random.default_rng()
        self._seen = np.zeros(self.observation_space.shape, self.observation_space.dtype)
        self._left, self._cut = 1, False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode of a random length, which ends for real or by a time limit."""
        super().reset(seed=seed)
        if seed is not None:
            self._rng = np.random.default_rng([seed, self._member])
        self._left = int(math.exp(self._rng.uniform(0.0, math.log(LONGEST + 1))))
        self._cut = bool(self._rng.random() < 0.5)
        return self._look(), {}

    def _look(self) -> Any:
        self._seen = np.asarray(self._rng.uniform(-1.0, 1.0, self._seen.shape), self._seen.dtype)
        return self._seen.copy()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step; the reward depends on the observation, the action and chance."""
        if self._on_step is not None:
            self._on_step()
        reward = self._pay(action) + float(self._rng.normal(0.0, NOISE))
        self._left -= 1
        over = self._left <= 0
        return self._look(), reward, over and not self._cut, over and self._cut, {}

    def action_masks(self) -> Any:
        """Every choice is allowed, as sb3-contrib asks for it."""
        return np.ones(CHOICES, bool)

    def _pay(self, action: Any) -> float:
        columns = self._seen.reshape(-1)
        if self._continuous:
            scale = np.where(np.isfinite(self.action_space.high), self.action_space.high, REACH).reshape(-1)
            done = (np.asarray(action, np.float64).reshape(-1) / np.maximum(np.abs(scale), 1e-9))[: len(columns)]
            return float(0.5 - np.abs(done - columns[: len(done)]).mean())
        return float(columns[int(np.asarray(action).reshape(-1)[0]) % len(columns)])


def _are_plain(seen: Any, done: Any) -> bool:
    """Whether observations can be drawn between -1 and 1, one unlike the other, and actions are choices or numbers."""
    boxed = isinstance(seen, gymnasium.spaces.Box) and np.issubdtype(seen.dtype, np.floating) and seen.shape
    return bool(boxed) and isinstance(done, gymnasium.spaces.Box | gymnasium.spaces.Discrete)
