"""One small world with terminals, time limits and a reward that varies."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

LIMIT = 16


class Slope(gymnasium.Env):
    """A ball between two cliffs: pushed to either side, paid for staying in the middle, over when it falls."""

    def __init__(self, discrete: bool = True) -> None:
        self.observation_space = spaces.Box(-4.0, 4.0, (2,), np.float32)
        self.action_space = spaces.Discrete(2) if discrete else spaces.Box(-1.0, 1.0, (1,), np.float32)
        self._discrete = discrete

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[Any, dict]:
        super().reset(seed=seed)
        self._place, self._speed = self.np_random.uniform(-0.5, 0.5, 2)
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict]:
        push = 2.0 * int(action) - 1.0 if self._discrete else float(np.reshape(action, -1)[0])
        self._speed += 0.2 * push + 0.05 * self.np_random.normal()
        self._place += 0.2 * self._speed
        fallen = abs(self._place) > 1.0
        reward = -1.0 if fallen else 1.0 - self._place**2 - 0.1 * abs(self._speed)
        return self._seen(), float(reward), bool(fallen), False, {}

    def _seen(self) -> Any:
        return np.clip([self._place, self._speed], -4.0, 4.0).astype(np.float32)


def slope(discrete: bool = True, limit: int = LIMIT) -> gymnasium.Env:
    return gymnasium.wrappers.TimeLimit(Slope(discrete), limit)
