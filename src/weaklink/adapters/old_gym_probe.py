"""What is played, as an environment of old gym, whose module is handed in: four results a step, five since 0.26."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.adapters.probe_play import Play, make_space

FIVE_RESULTS = (0, 26)
"""The version of gym since which a step gives five results, and a reset also an info."""


def make_old_environment(gym: Any, play: Play, spaces: tuple[Any, Any] | None = None) -> Any:
    """The environment of a play.

    Args:
        gym: the module.
        play: what is played.
        spaces: the observation and the action space of the environment whose place it takes.
    """
    return _make_class(gym, five=_reads_five(gym))(gym, play, spaces)


def _reads_five(gym: Any) -> bool:
    numbers = [int(part) for part in str(getattr(gym, "__version__", "0")).split(".")[:2] if part.isdigit()]
    return tuple(numbers) >= FIVE_RESULTS


def _make_class(gym: Any, *, five: bool) -> type[Any]:
    """The class is made where gym is known: wrappers ask whether it is a `gym.Env`."""

    class OldProbeEnvironment(gym.Env):  # type: ignore[misc]
        """Shows a play by the older interface."""

        metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render.modes": ["rgb_array"]}  # noqa: RUF012

        def __init__(self, gym: Any, play: Play, spaces: tuple[Any, Any] | None) -> None:
            own = (make_space(each, gym.spaces) for each in (play.observation, play.action))
            self.observation_space, self.action_space = own if spaces is None else spaces
            self._play = play

        def seed(self, seed: int | None = None) -> list[int | None]:
            if seed is not None:
                self._play.seed(seed)
            return [seed]

        def reset(self, *, seed: int | None = None, **_: Any) -> Any:
            if seed is not None:
                self._play.seed(seed)
            seen, info = self._play.reset()
            return (seen, info) if five else seen

        def step(self, action: Any) -> tuple[Any, ...]:
            seen, reward, terminated, truncated, info = self._play.step(action)
            if five:
                return seen, reward, terminated, truncated, info
            # the key by which the older TimeLimit tells a time limit from an end
            limited = {"TimeLimit.truncated": not terminated} if truncated else {}
            return seen, reward, terminated or truncated, {**info, **limited}

        def render(self, *_: Any, **__: Any) -> Any:
            return np.zeros((64, 64, 3), np.uint8)

        def close(self) -> None:
            self._play.close()

    return OldProbeEnvironment
