"""What an env runner of RLlib tells of itself beside its metrics: the returns of its episodes, the age of its weights.

This goes to the processes of the env runners by value, so that they need no weaklink: it imports nothing of it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from ray.rllib.callbacks.callbacks import RLlibCallback

KEY = "weaklink"
"""Under which it is sent with the metrics of a runner; the watcher takes it out of the result again."""

RETURNS, EPISODES, WEIGHTS = "returns", "episodes", "weights"


class RunnerListener(RLlibCallback):  # type: ignore[misc]
    """Sends numbers of one env runner with its metrics, apart from those of the others. Nothing here raises."""

    def on_episode_end(self, *, episode: Any, env_runner: Any = None, metrics_logger: Any = None, **_: Any) -> None:
        """Takes the return of an episode."""
        with suppress(Exception):
            self._add(env_runner, metrics_logger, RETURNS, float(episode.get_return()), "sum")
            self._add(env_runner, metrics_logger, EPISODES, 1.0, "sum")

    def on_sample_end(self, *, env_runner: Any = None, metrics_logger: Any = None, **_: Any) -> None:
        """Takes the number of the weights that were played with."""
        with suppress(Exception):
            self._add(env_runner, metrics_logger, WEIGHTS, float(env_runner._weights_seq_no), "min")

    def _add(self, env_runner: Any, logger: Any, name: str, value: float, reduce: str) -> None:
        if env_runner.worker_index > 0:  # the local one collects only where there is no other
            logger.log_value((KEY, str(env_runner.worker_index), name), value, reduce=reduce)


def begin_listening(env_runner: Any) -> None:
    """In the process of an env runner: has it tell from now on."""
    with suppress(Exception):
        if not any(type(each).__name__ == RunnerListener.__name__ for each in env_runner._callbacks):
            env_runner._callbacks.append(RunnerListener())


def end_listening(env_runner: Any) -> None:
    """In the process of an env runner: ends it."""
    with suppress(Exception):
        kept = [each for each in env_runner._callbacks if type(each).__name__ != RunnerListener.__name__]
        env_runner._callbacks[:] = kept
        env_runner.metrics.delete(KEY, key_error=False)  # else it goes on to be reported, as nothing
