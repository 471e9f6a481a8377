"""Environments that are not Gymnasium's, written down by a wrapper around the object."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weaklink.adapters.gymnasium.tape import TapeRecorder

PARTS_OF_AN_OLD_STEP = 4
TIME_LIMIT = "TimeLimit.truncated"
"""Where environments from before Gymnasium say that an end was a time limit."""


def wrap(env: Any, recorder: TapeRecorder) -> Any:
    """The environment itself where its class is heard anyway, else a wrapper of it."""
    gymnasium = sys.modules.get("gymnasium")
    if gymnasium is not None and isinstance(env, gymnasium.Env | gymnasium.vector.VectorEnv):
        return env
    return TapedEnvironment(env, recorder)


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
        self._recorder.step(self, action, _to_new_step(result), vector=self._vector)
        return result


def _to_new_step(result: Any) -> Any:
    """A step with two flags, whatever it came with."""
    if not isinstance(result, tuple) or len(result) != PARTS_OF_AN_OLD_STEP:
        return result
    observation, reward, done, info = result
    cut = bool(info.get(TIME_LIMIT, False)) if isinstance(info, dict) else False
    return observation, reward, done if not cut else False, cut, info
