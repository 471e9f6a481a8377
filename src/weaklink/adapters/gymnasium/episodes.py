"""Gymnasium environments whose episodes are counted while somebody trains in them."""

from __future__ import annotations

from typing import Any, Protocol

import gymnasium

PARTS_OF_A_STEP = 5


class EpisodeListener(Protocol):
    """Counts steps and takes each episode that ends."""

    def stepped(self) -> None:
        """One more step was taken."""

    def ended(self, total: float, length: int) -> None:
        """An episode ended with this return after so many steps."""


class RunningEpisode:
    """The episode that is under way in one environment."""

    def __init__(self, keeper: EpisodeListener) -> None:
        self._keeper = keeper
        self._total, self._length = 0.0, 0

    def begin(self) -> None:
        """Begins an episode; one that was not played to its end is forgotten."""
        self._total, self._length = 0.0, 0

    def add(self, reward: Any, *, ends: bool) -> None:
        """Counts one step."""
        self._total += float(reward)
        self._length += 1
        self._keeper.stepped()
        if ends:
            self._keeper.ended(self._total, self._length)
            self.begin()


class Watched(gymnasium.Wrapper):  # type: ignore[misc]
    """Changes nothing; tells a keeper of every step and of every end."""

    def __init__(self, env: Any, keeper: EpisodeListener) -> None:
        super().__init__(env)
        self._episode = RunningEpisode(keeper)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode."""
        self._episode.begin()
        result: tuple[Any, dict[str, Any]] = self.env.reset(seed=seed, options=options)
        return result

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Takes one step."""
        result: tuple[Any, Any, bool, bool, dict[str, Any]] = self.env.step(action)
        self._episode.add(result[1], ends=bool(result[2] or result[3]))
        return result


def listen_to(env: Any, keeper: EpisodeListener) -> Any:
    """The environment itself, of whose steps and ends a keeper hears from now on.

    Nothing is put around it, because a wrapper hides what an environment has beside the methods of Gymnasium. One that
    speaks otherwise, or does not let itself be listened to, is handed back as it is.
    """
    if not isinstance(env, gymnasium.Env):
        return env
    episode, step, reset = RunningEpisode(keeper), env.step, env.reset

    def stepped(action: Any) -> Any:
        result = step(action)
        if isinstance(result, tuple) and len(result) == PARTS_OF_A_STEP:
            episode.add(result[1], ends=bool(result[2] or result[3]))
        return result

    def begun(*given: Any, **named: Any) -> Any:
        episode.begin()
        return reset(*given, **named)

    try:
        env.step, env.reset = stepped, begun
    except AttributeError:
        return Watched(env, keeper)
    return env
