"""Off-policy models of Stable-Baselines3 watched while they learn: DQN, QR-DQN, SAC, TD3, DDPG, TQC, CrossQ."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.type_aliases import TrainFrequencyUnit

from weaklink.adapters.sb3.attached import AttachedModel
from weaklink.adapters.sb3.losses import watch_losses as losses_watched
from weaklink.adapters.sb3.minibatches import put_on
from weaklink.adapters.sb3.quiet import is_torch
from weaklink.adapters.sb3.replay import measure_batch, read_stored_parts
from weaklink.adapters.sb3.steps import StepCopies
from weaklink.adapters.sb3.target_networks import SlowCopies
from weaklink.adapters.sb3.targets import TargetCheck
from weaklink.adapters.sb3.update import SeenUpdate, wrap_next_training
from weaklink.adapters.torch.losses import Losses
from weaklink.base.evidence.rollout import UPDATED

EVERY = 64
"""Steps between two moments at which anything is considered; in between a step costs a comparison."""

NEWEST = 512
"""Steps that are kept before the first update; fewer before later looks."""

FIRST_LOOKS = 3

SHARE = 0.005
"""Measuring is spaced so that it takes at most this share of the time."""


class OffPolicyWatch(BaseCallback):  # type: ignore[misc]
    """Does nothing at most steps: measures now and then, and looks into the first updates and into rare later ones."""

    def __init__(self, attached: AttachedModel) -> None:
        super().__init__()
        self._attached, self._watcher = attached, attached.watcher
        self._numbers = attached.numbers
        self._copies = SlowCopies()
        self._steps: StepCopies | None = None
        self._look: int | None = None
        self._due, self._measure_at, self._began = 0, 0, time.perf_counter()
        self._starts = 0

    def update_locals(self, locals_: dict[str, Any]) -> None:
        """Refers to the local variables; a copy at each step would cost more than all the rest."""
        self.locals = locals_

    def on_training_start(self, locals_: dict[str, Any], globals_: dict[str, Any]) -> None:
        """Waits for the steps before the first update."""
        model = self.model
        self._starts = int(model.learning_starts)
        first = self._attached.updates < FIRST_LOOKS
        waits = max(model.num_timesteps, self._starts - NEWEST * model.n_envs) if first else model.num_timesteps + EVERY
        self._look = self._attached.updates + 1 if first else None
        self._due = waits
        self._measure_at = model.num_timesteps + EVERY
        self._began = time.perf_counter()

    def on_step(self) -> bool:
        """Compares two numbers, and goes on where nothing is due."""
        if self.model.num_timesteps >= self._due and not self._attached.closed:
            self._watcher.attempt("steps", self._attend)
        if self.model.num_timesteps >= self._numbers.due and not self._attached.closed:
            self._watcher.attempt("episodes", self._ended_episodes)
        if self._numbers.evaluating and self._numbers.evaluated:
            self._attached.evaluated(self.model)
        return self._attached.closed or not self._watcher.stop

    def _ended_episodes(self) -> None:
        self._numbers.episodes(self.model, self.locals.get("infos", ()))

    def _on_step(self) -> bool:
        return True

    def _attend(self) -> None:
        """Keeps the step where an update is about to be looked at; else considers what to do next."""
        watcher, model = self._watcher, self.model
        if self._look is not None:
            if self._steps is None:
                self._steps = StepCopies(model.get_vec_normalize_env(), latest=NEWEST)
            self._steps.take(self.locals, int(model.replay_buffer.pos))
            return
        self._due = model.num_timesteps + EVERY * model.n_envs
        watcher.attempt("episodes", lambda: self._numbers.episodes(model))
        if model.num_timesteps <= self._starts:
            return
        watcher.attempt("numbers", lambda: self._numbers.updated(model))
        ahead = self._attached.updates + max(1, EVERY // _count_steps_between(model))
        if watcher.looks(ahead):
            self._look, self._due = ahead, 0
        elif model.num_timesteps >= self._measure_at and watcher.measures(self._attached.updates):
            self._measured()

    def _measured(self) -> None:
        """Measures on a batch of its own, and waits longer where that took long."""
        watcher, model = self._watcher, self.model
        began = time.perf_counter()
        numbers = watcher.attempt("values", lambda: measure_batch(model))
        if numbers:
            watcher.metrics(model.num_timesteps, numbers)
        ended = time.perf_counter()
        pause = (ended - began) / SHARE
        pace = max(ended - self._began, 1e-9) / max(1, model.num_timesteps - model._num_timesteps_at_start)
        self._measure_at = model.num_timesteps + max(EVERY, int(pause / pace))

    def on_rollout_start(self) -> None:
        """Takes back what waits for an update that did not come."""
        if self._attached.pending is not None:
            self._attached.withdraw()

    def on_rollout_end(self) -> None:
        """Counts the update that follows, and has it looked at where that was decided."""
        model = self.model
        if model.num_timesteps <= self._starts or model.gradient_steps == 0:
            return
        self._attached.updates += 1
        if self._look is not None and self._attached.updates >= self._look and not self._attached.closed:
            self._watcher.attempt("update", self._begin_look)

    def _begin_look(self) -> None:
        update = self._attached.updates
        first = update <= FIRST_LOOKS
        looked = self._watcher.looks(update) if first else True
        if looked:
            steps = self._steps
            self._attached.pending = wrap_next_training(self.model, lambda train: self._trained(train, update, steps))
        if first and looked and update < FIRST_LOOKS:
            self._look = update + 1
        else:
            self._look = self._steps = None
            self._due = self.model.num_timesteps + EVERY

    def _trained(self, train: Callable[[], Any], update: int, steps: StepCopies | None) -> Any:
        """Runs the update and tells what was stored before it and what it did."""
        watcher, model = self._watcher, self.model
        self._attached.pending = None
        watcher.attempt("stored", lambda: self._stored(update, steps))
        watcher.attempt("target networks", lambda: self._copies.begin(model) if is_torch(model.policy) else None)
        seen = _OffPolicyUpdate(model, watcher)
        watcher.attempt("update", seen.begin)
        try:
            result = train()
        finally:
            seen.end()
        if not self._attached.closed:
            watcher.attempt("updated", lambda: self._updated(update, seen))
        return result

    def _stored(self, update: int, steps: StepCopies | None) -> None:
        parts: dict[str, Any] = {"normalisers": self._attached.counting.looked(self.model)}
        if steps is not None and len(steps):
            parts |= read_stored_parts(self.model, steps)
        self._attached.rollout(self.model, update, parts)

    def _updated(self, update: int, seen: _OffPolicyUpdate) -> None:
        attempt, model = self._watcher.attempt, self.model
        parts = {
            "movement": attempt("movement", seen.movement),
            "losses": seen.losses.calls,
            "targets": seen.check.targets,
            "temperature": seen.check.temperature,
            "target_networks": attempt("target networks", lambda: self._copies.looked(model)),
        }
        self._attached.rollout(model, update, parts, UPDATED)

    def on_training_end(self) -> None:
        """Tells what is left."""
        self._attached.withdraw()
        if not self._attached.closed:
            self._watcher.attempt("episodes", lambda: self._numbers.episodes(self.model))
            self._watcher.attempt("numbers", lambda: self._numbers.updated(self.model, now=True))


def _count_steps_between(model: Any) -> int:
    """Steps between two updates; an episode counts as many."""
    return EVERY if model.train_freq.unit == TrainFrequencyUnit.EPISODE else max(1, int(model.train_freq.frequency))


class _OffPolicyUpdate(SeenUpdate):
    """An update with its first batch and its losses as well."""

    def __init__(self, model: Any, watcher: Any) -> None:
        super().__init__(model)
        self.check = TargetCheck(model)
        self._attempt = watcher.attempt
        self.losses = Losses(lambda left, right: self._attempt("targets", lambda: self.check.met(left, right)))

    def begin(self) -> None:
        """Puts hooks everywhere."""
        if not is_torch(self._model.policy):
            return
        buffer = self._model.replay_buffer
        original = buffer.sample

        def passing(*args: Any, **options: Any) -> Any:
            batch = original(*args, **options)
            self._attempt("targets", lambda: self.check.sampled(batch))
            return batch

        put_on(buffer, "sample", passing, self.undo)
        losses_watched(self._model, self.losses, self.undo)
        super().begin()
