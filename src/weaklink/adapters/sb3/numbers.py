"""What Stable-Baselines3 tells by itself: the numbers that it logs, finished episodes, and evaluations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from weaklink.adapters.dialects import dialect
from weaklink.base.evidence.config import squashed
from weaklink.base.evidence.dialect import Alias
from weaklink.base.evidence.protocols import Watcher

TOLD_OTHERWISE = ("time/", "eval/", "rollout/ep_", "rollout/success_rate")
"""Means over the last hundred episodes and over evaluations, which are told one by one."""


class Numbers:
    """Translates what a model's logger holds, and tells what came new since the last time.

    `evaluating` are those of the user's callbacks that evaluate.
    """

    def __init__(self, watcher: Watcher, algorithm: str) -> None:
        self._watcher = watcher
        self._dialect = dialect("sb3")
        self._algorithm = self._dialect.algorithm_of(squashed(algorithm), ())
        self._meanings: dict[str, Alias | None] = {}
        self._last_episode: Any = None
        self.evaluating: list[Any] = []
        self._means: list[Any] = []

    def begin(self, model: Any, callback: Any) -> None:
        """Forgets what was there before this training; `callback` is the user's."""
        self._last_episode = model.ep_info_buffer[-1] if model.ep_info_buffer else None
        self.evaluating = list(evaluating_in(callback))
        self._means = [each.last_mean_reward for each in self.evaluating]

    def logged(self, model: Any) -> dict[str, float]:
        """The numbers that wait in the logger, by their names in the vocabulary or else by their own."""
        found: dict[str, float] = {}
        for name, value in model.logger.name_to_value.items():
            if name.startswith(TOLD_OTHERWISE) or not isinstance(value, int | float | np.number):
                continue
            if name not in self._meanings:
                self._meanings[name] = self._dialect.alias(name, self._algorithm)
            alias = self._meanings[name]
            if alias is not None:
                found.setdefault(alias.metric, float(value) * alias.scale)
            elif not self._dialect.ignores(name):
                found.setdefault(name, float(value))
        return found

    def episodes(self, model: Any) -> None:
        """Tells the episodes that ended since the last time, as far as the model remembers them."""
        infos = model.ep_info_buffer
        if not infos or infos[-1] is self._last_episode:
            return
        fresh = []
        for info in reversed(infos):
            if info is self._last_episode:
                break
            fresh.append(info)
        self._last_episode = infos[-1]
        for info in reversed(fresh):
            self._watcher.episode(model.num_timesteps, float(info["r"]), float(info["l"]))

    @property
    def evaluated(self) -> bool:
        """Whether there is an evaluation that was not told."""
        pairs = zip(self.evaluating, self._means, strict=True)
        return any(each.last_mean_reward is not mean for each, mean in pairs)

    def evaluations(self, step: int) -> list[Any]:
        """Tells the new evaluations and returns the environments that they ran in."""
        environments = []
        for place, each in enumerate(self.evaluating):
            if each.last_mean_reward is self._means[place]:
                continue
            self._means[place] = each.last_mean_reward
            if each.evaluations_results and each.evaluations_timesteps[-1] == step:
                self._watcher.evaluation(step, each.evaluations_results[-1], each.evaluations_length[-1])
            elif math.isfinite(each.last_mean_reward):
                self._watcher.evaluation(step, [each.last_mean_reward])
            environments.append(each.eval_env)
        return environments


def evaluating_in(callback: Any) -> Iterator[Any]:
    """Every callback that evaluates, however deep in lists and events."""
    if hasattr(callback, "evaluations_results") and hasattr(callback, "last_mean_reward"):
        yield callback
    inside = [*(getattr(callback, "callbacks", None) or ()), getattr(callback, "callback", None)]
    for each in inside:
        if hasattr(each, "init_callback"):
            yield from evaluating_in(each)
