"""What Stable-Baselines3 tells by itself: the numbers that it logs, finished episodes, and evaluations."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from weaklink.adapters.dialects import load_dialect
from weaklink.base.evidence.config import normalise_name
from weaklink.base.evidence.dialect import Alias
from weaklink.base.evidence.protocols import TrainingWatcher

TOLD_OTHERWISE = ("time/", "eval/", "rollout/ep_")
"""Means over the last hundred episodes and over evaluations, which are told one by one."""

LOGGED_EVERY = 0.5
"""Seconds between two readings of the logger where the model does not write it out itself: two rows a second cost less
than a thousandth of the time."""


class LoggerNumbers:
    """Translates what a model's logger holds, and tells what came new since the last time, whatever the budget.

    `evaluating` are those of the user's callbacks that evaluate. `due` is the step by which episodes have to be asked
    for: a model remembers only the last hundred.
    """

    def __init__(self, watcher: TrainingWatcher, algorithm: str) -> None:
        self._watcher = watcher
        self._dialect = load_dialect("sb3")
        self._algorithm = self._dialect.algorithm_of(normalise_name(algorithm), ())
        self._meanings: dict[str, Alias | None] = {}
        self._last_episode: Any = None
        self._forgetful = False
        self._told: dict[str, float] = {}
        self._told_at = 0.0
        self.due = 0.0
        self.evaluating: list[Any] = []
        self._means: list[Any] = []

    def begin(self, model: Any, callback: Any) -> None:
        """Forgets what was there before this training; `callback` is the user's."""
        self._last_episode = model.ep_info_buffer[-1] if model.ep_info_buffer else None
        self._forgetful = model.n_envs > _count_remembered(model)  # one step may end more episodes than the model keeps
        self.due = 0.0
        self.evaluating = list(find_evaluating(callback))
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

    def dumped(self, model: Any) -> None:
        """Tells what the model is about to write out, without what was told since it wrote last."""
        fresh = {name: value for name, value in self.logged(model).items() if self._told.get(name) != value}
        self.episodes(model)
        self._told, self._told_at = {}, time.monotonic()
        self._watcher.metrics(model.num_timesteps, fresh)

    def updated(self, model: Any, *, now: bool = False) -> None:
        """Tells what the logger holds after an update, at once or where that was not told for a while."""
        if now or time.monotonic() - self._told_at >= LOGGED_EVERY:
            self._told, self._told_at = self.logged(model), time.monotonic()
            if self._told:
                self._watcher.metrics(model.num_timesteps, self._told)

    def episodes(self, model: Any, infos: Any = ()) -> None:
        """Tells the episodes that ended since the last time.

        Args:
            model: remembers the last episodes, up to the step before.
            infos: those of this step, for models that forget episodes within a step.
        """
        if self._forgetful:
            for told in filter(None, (info.get("episode") for info in infos)):
                self._watcher.episode(model.num_timesteps, float(told["r"]), float(told["l"]))
            return
        self.due = model.num_timesteps + max(_count_remembered(model) - model.n_envs + 1, 1)
        buffer = model.ep_info_buffer
        if not buffer or buffer[-1] is self._last_episode:
            return
        fresh = list(itertools.takewhile(lambda info: info is not self._last_episode, reversed(buffer)))
        self._last_episode = buffer[-1]
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


def _count_remembered(model: Any) -> int:
    """How many episodes a model remembers."""
    return int(getattr(model.ep_info_buffer, "maxlen", None) or 100)


def find_evaluating(callback: Any) -> Iterator[Any]:
    """Every callback that evaluates, however deep in lists and events."""
    if hasattr(callback, "evaluations_results") and hasattr(callback, "last_mean_reward"):
        yield callback
    inside = [*(getattr(callback, "callbacks", None) or ()), getattr(callback, "callback", None)]
    for each in inside:
        if hasattr(each, "init_callback"):
            yield from find_evaluating(each)
