"""Watches an algorithm of RLlib through its callbacks: the result of each iteration, and what each env runner collects.

The learner's numbers are those that RLlib reports. Env runners send theirs with their metrics, so that no further call
goes to them while they sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import ray
from ray import cloudpickle
from ray.rllib.callbacks.callbacks import RLlibCallback

from weaklink.adapters.dialects import translate_row
from weaklink.adapters.rllib import listening
from weaklink.adapters.rllib.actors import ActorRecordings
from weaklink.base.evidence.protocols import TrainingWatcher

PART = "results of RLlib"
RUNNERS = "env runners of RLlib"

PATIENCE = 60.0
"""Seconds within which env runners begin to tell, and stop; those that are busy for longer tell nothing."""

NEEDED = ("train", "config", "callbacks", "env_runner_group")


def watches(trainer: Any) -> bool:
    """Whether this is an algorithm of RLlib."""
    known = any(kind.__module__ == "ray.rllib.algorithms.algorithm" for kind in type(trainer).__mro__)
    return known and all(hasattr(trainer, name) for name in NEEDED)


def watch(trainer: Any, watcher: TrainingWatcher) -> Callable[[], None]:
    """Watches an `Algorithm` from its next iteration on.

    Args:
        trainer: the algorithm, before or during its training.
        watcher: whom to tell.

    Returns:
        A function that takes the watching away again.
    """
    return WatchedAlgorithm(trainer, watcher).detach


class WatchedAlgorithm:
    """One algorithm, with a callback more."""

    def __init__(self, algorithm: Any, watcher: TrainingWatcher) -> None:
        self.algorithm, self.watcher = algorithm, watcher
        settings = read_settings(algorithm.config)
        name = str(settings.get("algo", ""))
        watcher.config.update(settings)
        watcher.context.update(framework="rllib", algorithm=name)
        watcher.on_failure(algorithm.save_to_path)
        self.actors: ActorRecordings | None = None
        count = int(getattr(algorithm.config, "num_env_runners", 0) or 0)
        if count > 1 and getattr(algorithm.config, "enable_env_runner_and_connector_v2", False):
            self.actors = ActorRecordings(watcher.folder, count, settings, _read_start(watcher.context))
            watcher.context["rank"] = self.actors.place(0)
            self.tell_runners(listening.begin_listening)
        before = algorithm.callbacks
        self._callback = AlgorithmCallback(self)
        algorithm.callbacks = [*(before if isinstance(before, list) else [before]), self._callback]

    def tell_runners(self, work: Callable[[Any], None], runners: list[int] | None = None) -> None:
        """Has every env runner, or some, do something to itself; the function is sent by value."""
        group = self.algorithm.env_runner_group
        if group is None:
            return
        cloudpickle.register_pickle_by_value(listening)
        try:
            group.foreach_env_runner(work, local_env_runner=False, remote_worker_ids=runners, timeout_seconds=PATIENCE)
        finally:
            cloudpickle.unregister_pickle_by_value(listening)

    def take(self, result: dict[str, Any]) -> None:
        """Takes the result of an iteration, out of which what the runners sent is removed."""
        told = (result.get("env_runners") or {}).pop(listening.KEY, {})
        numbers = dict(list_numbers({name: part for name, part in result.items() if name != "config"}))
        row = translate_row("rllib", numbers)
        step = float(row.get("system.env_steps", result.get("training_iteration", 0)))
        self.watcher.metrics(step, row)
        if self.actors is not None and told:
            modules = [part for part in (result.get("learners") or {}).values() if isinstance(part, Mapping)]
            learned = [float(part["weights_seq_no"]) for part in modules if "weights_seq_no" in part]
            self.actors.write(step, told, max(learned, default=None))

    def detach(self) -> None:
        """Takes the callback away; an algorithm whose Ray has ended has no runners left to tell."""
        callbacks = self.algorithm.callbacks
        if isinstance(callbacks, list) and self._callback in callbacks:
            callbacks.remove(self._callback)
        if self.actors is not None:
            self.actors.close()
            if ray.is_initialized():
                self.tell_runners(listening.end_listening)
            self.algorithm.metrics.delete("env_runners", listening.KEY, key_error=False)


class AlgorithmCallback(RLlibCallback):  # type: ignore[misc]
    """Passes on what becomes of the algorithm, in the process that drives it."""

    def __init__(self, watched: WatchedAlgorithm) -> None:
        super().__init__()
        self._watched = watched

    def on_train_result(self, *, result: dict[str, Any], **_: Any) -> None:
        """Takes an iteration; where the training is to end, Tune is told so."""
        watcher = self._watched.watcher
        watcher.attempt(PART, lambda: self._watched.take(result))
        if watcher.stop:
            result["done"] = True

    def on_env_runners_recreated(self, *, env_runner_indices: list[int], is_evaluation: bool, **_: Any) -> None:
        """Has runners that were started again tell too."""
        watched = self._watched
        if watched.actors is not None and not is_evaluation:
            runners = list(env_runner_indices)
            watched.watcher.attempt(RUNNERS, lambda: watched.tell_runners(listening.begin_listening, runners))


def _read_start(context: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of the start of a training, for recordings that lie beside that of the learner."""
    return {name: value for name, value in context.items() if name in ("name", "framework", "started")}


def read_settings(config: Any) -> dict[str, Any]:
    """The settings of an algorithm that are plain values, and its name and environment."""
    known = config.to_dict()
    found = {name: value for name, value in known.items() if isinstance(value, bool | int | float | str)}
    found["train_batch_size"] = config.total_train_batch_size  # the plain setting is that of the old stack
    kind = getattr(config, "algo_class", None)
    found["algo"] = getattr(kind, "__name__", type(config).__name__.removesuffix("Config")).lower()
    environment = known.get("env")
    if environment is not None:
        found["env_id"] = environment if isinstance(environment, str) else getattr(environment, "__name__", "")
    return found


def list_numbers(result: Mapping[str, Any], start: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a result, each under the names that lead to it."""
    for name, part in result.items():
        if isinstance(part, Mapping):
            yield from list_numbers(part, f"{start}{name}/")
        else:
            yield f"{start}{name}", part
