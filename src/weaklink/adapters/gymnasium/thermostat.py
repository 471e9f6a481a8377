"""A small environment for the bundled example: hold a room at its temperature while the weather pulls at it."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

OFF, HEAT, COOL = range(3)
POWER, LEAK, WIND = 1.0, 0.1, 0.3
FARTHEST, PATIENCE = 8.0, 5.0
LASTS = 60


class Thermostat(gymnasium.Env):  # type: ignore[misc]
    """Sees how far the room is from its temperature and what the weather does; switches off, heats or cools.

    A step pays 1 when the room is right and less the further off it is. It ends when the room is too far off, or after
    an hour.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  Gymnasium's own

    def __init__(self) -> None:
        self.observation_space = gymnasium.spaces.Box(-3.0, 3.0, (2,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(3)
        self._off = self._weather = 0.0
        self._minute = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an hour."""
        super().reset(seed=seed)
        self._off = float(self.np_random.uniform(-4.0, 4.0))
        self._weather = float(self.np_random.uniform(-0.6, 0.6))
        self._minute = 0
        return self._seen(), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Lets a minute pass."""
        push = {OFF: 0.0, HEAT: POWER, COOL: -POWER}[int(action)]
        gust = float(self.np_random.normal(0.0, WIND))
        self._off += push + self._weather + gust - LEAK * self._off
        self._weather = 0.95 * self._weather + 0.05 * float(self.np_random.normal(0.0, 1.0))
        self._minute += 1
        paid = 1.0 - min(abs(self._off) / PATIENCE, 2.0)
        return self._seen(), paid, abs(self._off) > FARTHEST, self._minute >= LASTS, {}

    def _seen(self) -> Any:
        return np.clip(np.array([self._off / 4.0, self._weather]), -3.0, 3.0).astype(np.float32)
