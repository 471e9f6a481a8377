"""A probe as a Gymnasium environment, and as one of old gym."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from weaklink.adapters.probe_play import ProbePlay, StepKeeper, make_space

PICTURE = 64
"""Pixels along the edge of what `render` gives."""


class ProbeEnvironment(gymnasium.Env):  # type: ignore[misc]
    """Plays a probe.

    `spaces` are the observation and the action space of the environment whose place it takes, where it takes one. It
    has nothing to draw: `render` gives a black picture, for scripts that film.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 30}  # noqa: RUF012  Gymnasium's own

    def __init__(
        self,
        probe: Any,
        recorder: StepKeeper | None = None,
        spaces: tuple[Any, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.probe = probe
        self._play = ProbePlay(probe, recorder)
        own = (make_space(each, gymnasium.spaces) for each in (probe.observation, probe.action))
        self.observation_space, self.action_space = own if spaces is None else spaces
        self.render_mode = render_mode

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; a seed also decides which member of a vector this is."""
        super().reset(seed=seed)
        if seed is not None:
            self._play.seed(seed)
        return self._play.reset()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step."""
        return self._play.step(action)

    @property
    def state(self) -> int:
        """The number of the problem's state."""
        return self._play.state

    def action_masks(self) -> Any:
        """Which actions are allowed now, as sb3-contrib asks for it."""
        return self._play.mask()

    def render(self) -> Any:
        """A black picture."""
        return np.zeros((PICTURE, PICTURE, 3), np.uint8)

    def close(self) -> None:
        """Writes what the recorder still holds."""
        self._play.close()
