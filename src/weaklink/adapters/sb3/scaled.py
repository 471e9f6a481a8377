"""Vector environments of Stable-Baselines3 with their rewards multiplied or their observations normalised."""

from __future__ import annotations

from typing import Any

from stable_baselines3.common.env_util import is_wrapped
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnvWrapper, VecNormalize


class ScaledRewards(VecEnvWrapper):  # type: ignore[misc]
    """Pays `factor` times as much."""

    def __init__(self, venv: Any, factor: float) -> None:
        super().__init__(venv)
        self._factor = factor

    def reset(self) -> Any:
        """Begins all episodes."""
        return self.venv.reset()

    def step_wait(self) -> Any:
        """One step of all."""
        observations, rewards, dones, infos = self.venv.step_wait()
        return observations, rewards * self._factor, dones, infos


def normalise_observations(venv: Any) -> Any:
    """With running statistics of what is seen; rewards stay as they are."""
    return VecNormalize(venv, norm_reward=False)


def wrap_in_monitor(env: Any) -> Any:
    """With a counter of episodes around it, unless there is one."""
    return env if is_wrapped(env, Monitor) else Monitor(env)
