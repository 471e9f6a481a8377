"""A `Trainer` of TorchRL watched from its own hooks, and batches of loops written by hand."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torchrl.objectives.utils import HardUpdate, TargetNetUpdater
from torchrl.objectives.value import ValueEstimatorBase

from weaklink.adapters.torch.deferred import DeferredNumbers
from weaklink.adapters.torch.losses import Losses, noted
from weaklink.adapters.torch.movement import FollowedCopy, WeightsBefore, measure_movement
from weaklink.adapters.torchrl.dialect import DIALECT
from weaklink.adapters.torchrl.parts import find_estimators
from weaklink.adapters.torchrl.rollout import (
    LossKeys,
    arrange_in_time,
    has,
    make_next_key,
    measure_likelihoods,
    name_algorithm,
    of_tensordict,
    read_keys,
)
from weaklink.base.evidence.protocols import TrainingWatcher
from weaklink.base.evidence.rollout import COLLECTED, UPDATED, Probabilities, Rollout

__all__ = ["Episodes", "find_followed", "of_tensordict", "watch"]

FEWER_ROWS = 512
"""Rows that the actor is asked about after an update."""

STAGES = ("pre_steps_log", "pre_epoch", "post_optim_complete_log", "post_steps_log")


def watch(trainer: Any, watcher: TrainingWatcher) -> Callable[[], None]:
    """Watches a `torchrl.trainers.Trainer` through operations of its own.

    Args:
        trainer: made and not yet run, or between two runs.
        watcher: is told of its batches, losses, episodes and updates.

    Returns:
        A function that takes the operations away again. A trainer that is watched already stays as it is.
    """
    for operation in _list_operations(trainer):
        owner = getattr(operation, "__self__", None)
        if isinstance(owner, _TrainerWatch):
            return owner.detach
    return _TrainerWatch(trainer, watcher).detach


def find_followed(loss: Any, updater: Any = None) -> list[FollowedCopy]:
    """The slow copies that a loss holds of its networks.

    Args:
        loss: a loss module. Those of its targets that are the trained weights themselves are left out.
        updater: what moves them, where it is known.
    """
    interval = int(updater.value_network_update_interval) if isinstance(updater, HardUpdate) else None
    rate = 1.0 - float(updater.eps) if hasattr(updater, "eps") else None
    found = []
    for name, held in getattr(loss, "_modules", {}).items():
        if name.startswith("target_") and name.endswith("_params"):
            online = getattr(loss, name.removeprefix("target_"))
            pair = [[weights.data for weights in each.values(True, True)] for each in (online, held)]
            one = FollowedCopy(name.removesuffix("_params"), *pair, interval=interval, rate=rate)
            found.extend([one] if one.comparable else [])
    return found


class _TrainerWatch:
    """One trainer and its watcher; its methods are the operations."""

    def __init__(self, trainer: Any, watcher: TrainingWatcher) -> None:
        self._trainer, self._watcher, self._loss = trainer, watcher, trainer.loss_module
        self._keys: LossKeys = read_keys(self._loss)
        held = [part for operation in _list_operations(trainer) for part in _list_parts(operation)]
        own = [each for each in held if isinstance(each, ValueEstimatorBase) and hasattr(each, "gamma")]
        self._estimator = next(iter([*own, *find_estimators(self._loss)]), None)
        updater = next((each for each in held if isinstance(each, TargetNetUpdater)), None)
        self._targets = find_followed(self._loss, updater)
        self._by_batch, self._followed_until = _moves_by_batch(trainer, updater), 0
        self._deferred = DeferredNumbers()
        self._episodes = Episodes(watcher)
        self._update, self._looking, self._waiting, self._steps = 0, False, False, 0
        self._collected: Rollout | None = None
        self._before: WeightsBefore | None = None
        self._listening = contextlib.ExitStack()
        self._losses = Losses()
        watcher.attempt("settings", self._described)
        watcher.on_failure(self._save)
        operations = (self.collected, self.epoch, self.learned, self.updated)
        for stage, operation in zip(STAGES, operations, strict=True):
            with contextlib.suppress(RuntimeError):  # a learner in another process has fewer stages
                trainer.register_op(stage, operation)

    def detach(self) -> None:
        """Takes the operations away."""
        self._closed()
        self._watcher.attempt("losses", self._deferred.finish)
        for held in vars(self._trainer).values():
            if isinstance(held, list):
                held[:] = [entry for entry in held if getattr(_unwrap(entry), "__self__", None) is not self]

    # the operations, in the order of an iteration

    def collected(self, batch: Any) -> None:
        """After a batch has been collected and processed."""
        if batch is None:
            return
        self._update += 1
        self._closed()
        self._watcher.attempt("episodes", lambda: self._episodes.add(self._frames, batch, self._keys))
        self._looking = self._watcher.looks(self._update)
        if not (self._looking or self._watcher.measures(self._update)):
            self._waiting = False
            self._watcher.take(self._bare(COLLECTED))
            return
        self._waiting = not has(batch, self._keys.advantage) and self._estimated_later()
        if not self._waiting:
            self._watcher.attempt("batch", lambda: self._take(batch))
        self._batch = batch

    def epoch(self, batch: Any) -> Any:
        """Before each epoch: advantages that are computed there are known by now."""
        if self._waiting:
            self._waiting = False
            kept = self._batch
            if not has(kept, self._keys.advantage) and batch is not None and batch.numel() == kept.numel():
                kept = batch.reshape(kept.shape)
            self._watcher.attempt("batch", lambda: self._take(kept))
        return batch

    def learned(self, steps: int, losses: Any) -> None:
        """After all optimizer steps on a batch, with the averages of what the loss returned."""
        self._watcher.attempt("losses", lambda: self._tell(steps, losses))

    def updated(self, batch: Any) -> None:
        """After a batch has been learned from."""
        self._batch = None
        if batch is not None and (self._looking or self._watcher.measures(self._update)):
            self._watcher.attempt("update", lambda: self._taken_after(batch))
        else:
            self._watcher.take(self._bare(UPDATED))
        self._closed()
        if self._watcher.stop and hasattr(self._trainer, "request_stop"):
            self._trainer.request_stop("weaklink")

    # what they do

    @property
    def _frames(self) -> float:
        return float(self._trainer.collected_frames)

    def _estimated_later(self) -> bool:
        """Whether a value estimator runs before each epoch instead of with each batch."""
        operations = [_unwrap(entry) for entry in getattr(self._trainer, "_pre_epoch_ops", ())]
        return any(isinstance(part, ValueEstimatorBase) for operation in operations for part in _list_parts(operation))

    def _take(self, batch: Any) -> None:
        self._collected = of_tensordict(
            batch,
            loss=self._loss,
            step=self._frames,
            update=self._update,
            deep=self._looking,
            estimator=self._estimator,
        )
        self._watcher.take(self._collected)
        if self._looking:
            between = self._update - 1 - self._followed_until
            for each in self._targets:
                each.look(between)  # at least so often
            self._before = WeightsBefore({"": self._loss}) if isinstance(self._loss, torch.nn.Module) else None
            self._losses = self._listening.enter_context(noted(Losses()))

    def _taken_after(self, batch: Any) -> None:
        found: dict[str, Any] = {}
        if self._looking and self._before is not None:
            found["movement"] = measure_movement(self._before)
            found["losses"] = self._losses.calls
            self._followed_until = self._update
            for each in self._targets:
                each.look(1 if self._by_batch else found["movement"].optimizer_steps)
            found["target_networks"] = (
                tuple(seen for each in self._targets if (seen := each.seen()) is not None) or None
            )
        probabilities, spread = measure_likelihoods(batch, self._loss, self._keys, most=FEWER_ROWS)
        if probabilities is not None:
            found["probabilities"] = Probabilities(
                stored=probabilities.stored,
                after=probabilities.fresh,
                floor=probabilities.floor,
                clip_range=probabilities.clip_range,
                epochs=int(getattr(self._trainer, "num_epochs", 1) or 1),
            )
            found["spread"] = spread
        self._watcher.take(replace(self._bare(UPDATED), **found))

    def _bare(self, moment: str) -> Rollout:
        """An update by its number alone, where nothing else is seen of it."""
        return Rollout(
            step=self._frames,
            update=self._update,
            moment=moment,
            algorithm=name_algorithm(self._loss),
            framework="torchrl",
            family="" if self._collected is None else self._collected.family,
        )

    def _tell(self, steps: int, losses: Any) -> None:
        held = {} if losses is None else {key: value for key, value in losses.items() if _told_once(key)}
        numbers = {key: value for key, value in held.items() if torch.is_tensor(value) and value.numel() == 1}
        step, names = self._frames, [_find_metric(key) for key in numbers]
        self._deferred.put(
            list(numbers.values()),
            lambda found: self._watcher.metrics(
                step, {**dict(zip(names, found, strict=False)), "optimizer.updates": float(steps)}
            ),
        )

    def _closed(self) -> None:
        if self._before is not None:
            self._before.close()
            self._before = None
        self._listening.close()

    def _described(self) -> None:
        trainer, loss = self._trainer, self._loss
        settings = {
            "algorithm": name_algorithm(loss).lower() or None,
            "gamma": _read_scalar(getattr(self._estimator, "gamma", None)),
            "gae_lambda": _read_scalar(getattr(self._estimator, "lmbda", None)),
            "clip_range": _read_scalar(getattr(loss, "clip_epsilon", None)),
            "num_epochs": getattr(trainer, "num_epochs", None),
            "optim_steps_per_batch": getattr(trainer, "optim_steps_per_batch", None),
            "total_timesteps": getattr(trainer, "total_frames", None),
            "frames_per_batch": getattr(trainer.collector, "frames_per_batch", None),
            "max_grad_norm": getattr(trainer, "clip_norm", None),
        }
        for name, value in settings.items():
            if value is not None:
                self._watcher.config.setdefault(name, value)
        self._watcher.context.setdefault("framework", "torchrl")

    def _save(self, folder: str) -> None:
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        parts = {"loss_module": self._loss, "optimizer": getattr(self._trainer, "optimizer", None)}
        held = {name: part.state_dict() for name, part in parts.items() if hasattr(part, "state_dict")}
        torch.save(held, path / "trainer.pt")


class Episodes:
    """Returns and lengths of the episodes that end in a batch, however many batches they lasted."""

    def __init__(self, watcher: TrainingWatcher) -> None:
        self._watcher = watcher
        self._sums: dict[int, float] = {}
        self._lengths: dict[int, int] = {}

    def add(self, step: float, batch: Any, keys: LossKeys = LossKeys()) -> None:  # noqa: B008
        """Takes a batch in the order of time; one without such an order is left out."""
        names = list(batch.names) if batch.names is not None else []
        if "time" not in names or not has(batch, make_next_key(keys.done)):
            return
        time, dims = names.index("time"), batch.batch_dims
        rewards, ended = (arrange_in_time(batch[make_next_key(key)], time, dims) for key in (keys.reward, keys.done))
        told = (
            arrange_in_time(batch["next", "episode_reward"], time, dims)
            if has(batch, ("next", "episode_reward"))
            else None
        )
        if rewards.shape != ended.shape:
            return
        running = np.cumsum(rewards, axis=0, dtype=np.float64)
        for member in range(rewards.shape[1]):
            begun, before = 0, 0.0
            for place in np.flatnonzero(ended[:, member]):
                total = self._sums.pop(member, 0.0) + running[place, member] - before
                length = self._lengths.pop(member, 0) + int(place) + 1 - begun
                total = float(told[place, member]) if told is not None and told.shape == rewards.shape else float(total)
                self._watcher.episode(step, total, length)
                begun, before = int(place) + 1, float(running[place, member])
            self._sums[member] = self._sums.get(member, 0.0) + float(running[-1, member]) - before
            self._lengths[member] = self._lengths.get(member, 0) + len(rewards) - begun


def _moves_by_batch(trainer: Any, updater: Any) -> bool:
    """Whether slow copies are moved once a batch, however many gradient steps are made on it."""
    operations = [_unwrap(entry) for entry in getattr(trainer, "_post_steps_ops", ())]
    return any(part is updater for operation in operations for part in _list_parts(operation)) if updater else False


def _list_operations(trainer: Any) -> Iterator[Any]:
    for name, held in vars(trainer).items():
        if name.endswith("_ops") and isinstance(held, list):
            yield from map(_unwrap, held)


def _unwrap(entry: Any) -> Any:
    operation = entry[0] if isinstance(entry, tuple) else entry
    return inspect.unwrap(operation) if callable(operation) else operation


def _list_parts(operation: Any) -> list[Any]:
    """An operation, the object that it belongs to, and what that holds."""
    owner = getattr(operation, "__self__", operation)
    return [operation, owner, *(vars(owner).values() if hasattr(owner, "__dict__") else ())]


def _told_once(key: Any) -> bool:
    """Whether a key is a plain one, and not a number that another key tells in a better way."""
    meaning = DIALECT.meaning(key) if isinstance(key, str) else None
    return isinstance(key, str) and (meaning is None or bool(meaning[1].metric))


def _find_metric(key: str) -> str:
    alias = DIALECT.alias(key)
    return key if alias is None else alias.metric


def _read_scalar(held: Any) -> float | None:
    return None if held is None or np.ndim(held) else round(float(held), 6)
