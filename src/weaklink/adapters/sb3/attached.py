"""What is kept of a watched Stable-Baselines3 model between two trainings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from weaklink.adapters.sb3.normaliser_use import NormaliserCounts, find_normaliser, tells_episodes
from weaklink.adapters.sb3.numbers import LoggerNumbers
from weaklink.base.evidence.config import ON_POLICY, normalise_name
from weaklink.base.evidence.protocols import TrainingWatcher
from weaklink.base.evidence.rollout import COLLECTED, Rollout

LIBRARIES = ("stable_baselines3", "sb3_contrib", "sbx")


def algorithm_of(model: Any) -> str:
    """The name of the algorithm: that of the library's class, also where a user derived one from it."""
    known = (each for each in type(model).__mro__ if each.__module__.partition(".")[0] in LIBRARIES)
    found = next(known, type(model)).__name__
    return found if not found.endswith("Algorithm") else type(model).__name__


class AttachedModel:
    """Counters and readers of one model; it does not hold the model, so that nothing keeps that alive.

    `pending` takes back what waits on the model for its next update, and is there no longer than that.
    """

    def __init__(self, watcher: TrainingWatcher, algorithm: str) -> None:
        self.watcher = watcher
        self.algorithm = algorithm
        self.family = "on-policy" if normalise_name(algorithm) in ON_POLICY else "off-policy"
        self.numbers = LoggerNumbers(watcher, algorithm)
        self.counting = NormaliserCounts()
        self.updates = 0
        self.closed = False
        self.pending: Callable[[], None] | None = None

    def begin(self, model: Any, callback: Any) -> None:
        """Takes note at the start of a training; `callback` is the user's."""
        watcher = self.watcher
        watcher.attempt("settings", lambda: watcher.config.setdefault("total_timesteps", int(model._total_timesteps)))
        watcher.attempt("episodes", lambda: self.numbers.begin(model, callback))
        watcher.attempt("normaliser", lambda: self.counting.begin(model))
        watcher.attempt("settings", lambda: self._evaluating(model))

    def _evaluating(self, model: Any) -> None:
        """Tells what evaluations share with the training, whether normalisers go on counting in them, and whether they
        report normalised rewards."""
        environments = [each.eval_env for each in self.numbers.evaluating]
        if environments:
            own = model.get_env()
            shared = any(own is not None and each.unwrapped is own.unwrapped for each in environments)
            self.watcher.config.setdefault("eval_env_shared", shared)
        found = [(each, find_normaliser(each)) for each in environments]
        training = [bool(one.training) for _, one in found if one is not None]
        if training:
            scaled = any(one.norm_reward and not tells_episodes(each) for each, one in found if one is not None)
            self.watcher.config.setdefault("eval_env_training", any(training))
            self.watcher.config.setdefault("eval_env_norm_reward", scaled)

    def withdraw(self) -> None:
        """Takes back what waits on the model, where an update did not come."""
        if self.pending is not None:
            self.pending()
            self.pending = None

    def evaluated(self, model: Any) -> None:
        """Tells the evaluations that ended with this step."""

        def tell() -> None:
            for environment in self.numbers.evaluations(int(model.num_timesteps)):
                self.counting.evaluated(model, environment)

        self.watcher.attempt("evaluations", tell)

    def rollout(self, model: Any, update: int, parts: dict[str, Any], moment: str = COLLECTED) -> None:
        """Hands a look over, unless nothing was seen."""
        if any(part is not None for part in parts.values()):
            self.passed(model, update, parts, moment)

    def passed(self, model: Any, update: int, parts: dict[str, Any], moment: str = COLLECTED) -> None:
        """Hands over that an update has come so far, with whatever was seen of it."""
        self.watcher.take(
            Rollout(
                step=int(model.num_timesteps),
                update=update,
                moment=moment,
                algorithm=self.algorithm,
                framework="sb3",
                family=self.family,
                **parts,
            )
        )
