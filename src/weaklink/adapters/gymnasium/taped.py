"""Environments of no library, written down by a wrapper around the object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from weaklink.adapters.gymnasium.libraries import is_environment, to_new_step

if TYPE_CHECKING:
    from weaklink.adapters.gymnasium.tape import TapeRecorder


def wrap(env: Any, recorder: TapeRecorder) -> Any:
    """The environment itself where its class is heard anyway, else a wrapper of it."""
    return env if is_environment(env) else TapedEnvironment(env, recorder)


class TapedEnvironment:
    """Steps and resets are written down; everything else is the environment's."""

    def __init__(self, env: Any, recorder: TapeRecorder) -> None:
        self.env = env
        self._recorder = recorder
        self._vector = int(getattr(env, "num_envs", 1)) > 1

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def reset(self, *given: Any, **named: Any) -> Any:
        """Begins an episode."""
        result = self.env.reset(*given, **named)
        self._recorder.reset(self, result, vector=self._vector, seed=named.get("seed"))
        return result

    def step(self, action: Any, *given: Any, **named: Any) -> Any:
        """Takes one step."""
        self._recorder.on_step()
        result = self.env.step(action, *given, **named)
        self._recorder.step(self, action, to_new_step(result), vector=self._vector)
        return result
