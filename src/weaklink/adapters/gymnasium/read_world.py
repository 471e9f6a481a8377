"""The environment made for reading updates (`read_play.py`), as Gymnasium has it."""

from __future__ import annotations

from typing import Any

import gymnasium

from weaklink.adapters.probe_play import make_space
from weaklink.adapters.read_play import HearStep, make_read_play


class ReadEnvironment(gymnasium.Env):  # type: ignore[misc]
    """An environment whose every row is its own.

    Args:
        continuous: whether actions are numbers instead of choices.
        on_step: hears each step.
        spaces: those of observations and actions to show, where they are of numbers and of choices or numbers.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012  Gymnasium's own

    def __init__(
        self,
        *,
        continuous: bool = False,
        on_step: HearStep | None = None,
        spaces: tuple[Any, Any] | None = None,
    ) -> None:
        self._play, taken = make_read_play(continuous=continuous, on_step=on_step, spaces=spaces)
        self.observation_space, self.action_space = taken or (
            make_space(each, gymnasium.spaces) for each in (self._play.observation, self._play.action)
        )

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins an episode of a random length, which ends for real or by a time limit."""
        super().reset(seed=seed)
        if seed is not None:
            self._play.seed(seed)
        return self._play.reset()

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Takes one step."""
        return self._play.step(action)

    def action_masks(self) -> Any:
        """Every choice is allowed, as sb3-contrib asks for it."""
        return self._play.mask()
