"""A Gymnasium environment whose episodes are counted while somebody trains in it."""

from __future__ import annotations

from typing import Any, Protocol

import gymnasium


class Keeper(Protocol):
    """Counts steps and takes each episode that ends."""

    def stepped(self) -> None:
        """One more step was taken."""

    def ended(self, total: float, length: int) -> None:
        """An episode ended with this return after so many steps."""


class Watched(gymnasium.Wrapper):  # type: ignore[misc]
    """Changes nothing; tells a keeper of every step and of every end."""

    def __init__(self, env: Any, keeper: Keeper) -> None:
        super().__init__(env)
        self._keeper = keeper
        self._total = 0.0
        self._length = 0

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; one that was not played to its end is forgotten."""
        self._total, self._length = 0.0, 0
        result: tuple[Any, dict[str, Any]] = self.env.reset(seed=seed, options=options)
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Takes one step."""
        result: tuple[Any, Any, bool, bool, dict[str, Any]] = self.env.step(action)
        _, reward, terminated, truncated, _ = result
        self._total += float(reward)
        self._length += 1
        self._keeper.stepped()
        if terminated or truncated:
            self._keeper.ended(self._total, self._length)
            self._total, self._length = 0.0, 0
        return result
