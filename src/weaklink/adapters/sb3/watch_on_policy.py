"""On-policy models of Stable-Baselines3 watched while they learn: PPO, A2C, TRPO, MaskablePPO, RecurrentPPO."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback

from weaklink.adapters.sb3.attached import AttachedModel
from weaklink.adapters.sb3.likelihoods import EvaluatedRows, choose_rows, evaluate_rows, measure_spread
from weaklink.adapters.sb3.losses import watch_losses as losses_watched
from weaklink.adapters.sb3.minibatches import FirstMinibatches, KnownRows
from weaklink.adapters.sb3.policy import is_recurrent
from weaklink.adapters.sb3.quiet import is_torch
from weaklink.adapters.sb3.rollout import HeldRollout, flatten_observations, read_estimates, read_rollout
from weaklink.adapters.sb3.steps import StepCopies, check_storage, compare_actions, make_pairing
from weaklink.adapters.sb3.update import SeenUpdate, wrap_next_training
from weaklink.adapters.sb3.watch_recurrent import measure_recurrence, replay_rollout
from weaklink.adapters.torch.losses import Losses
from weaklink.base.evidence.metrics import COMPONENT
from weaklink.base.evidence.rollout import UPDATED, Probabilities, SampleAges

MANY_ROWS, BARE_EVERY = 512, 0.2
"""Rollouts of so many rows are rare enough that each tells when it came, also where there is no time to measure it;
smaller ones only after so many seconds, because A2C makes hundreds a second."""

LOOKED_ROWS, MEASURED_ROWS = 2048, 512


class OnPolicyWatch(BaseCallback):  # type: ignore[misc]
    """Tells each rollout before it is learned from and what the update made of the policy."""

    def __init__(self, attached: AttachedModel) -> None:
        super().__init__()
        self._attached, self._watcher = attached, attached.watcher
        self._numbers = attached.numbers
        self._steps: StepCopies | None = None
        self._looked = self._bare = self._logged = False
        self._bare_at = 0.0
        self._known: list[KnownRows] = []

    def update_locals(self, locals_: dict[str, Any]) -> None:
        """Refers to the local variables; a copy at each step would cost more than all the rest."""
        self.locals = locals_

    def on_rollout_start(self) -> None:
        """Tells what is left of the update before, and decides whether this rollout is looked at."""
        self._attached.withdraw()
        if self._attached.closed:
            return
        if self._attached.updates:
            self._watcher.attempt("update", self._passed)
        self._looked = bool(self._watcher.looks(self._attached.updates + 1))
        self._steps = StepCopies() if self._looked else None

    def on_step(self) -> bool:
        """Keeps the step where the rollout is looked at."""
        if self._steps is not None:
            steps = self._steps
            self._watcher.attempt("steps", lambda: steps.take(self.locals))
        if self.model.num_timesteps >= self._numbers.due:
            self._watcher.attempt("episodes", self._ended_episodes)
        if self._numbers.evaluating and self._numbers.evaluated:
            self._attached.evaluated(self.model)
        return self._attached.closed or not self._watcher.stop

    def _ended_episodes(self) -> None:
        self._numbers.episodes(self.model, self.locals.get("infos", ()))

    def _on_step(self) -> bool:
        return True

    def on_rollout_end(self) -> None:
        """Tells the rollout, and has the update told that follows."""
        self._attached.updates += 1
        self._bare = self._logged = False
        if not self._attached.closed:
            self._watcher.attempt("episodes", lambda: self._numbers.episodes(self.model))
            self._watcher.attempt("rollout", self._ended)

    def _ended(self) -> None:
        if not self._looked and not self._watcher.measures(self._attached.updates):
            self._tell_bare()
            return
        rollout = self._watcher.attempt("rollout", lambda: read_rollout(self.model, self.locals))
        asked = None
        if rollout is not None:
            asked = self._collected(rollout)
        self._attached.pending = wrap_next_training(self.model, lambda train: self._trained(train, rollout, asked))

    def _tell_bare(self) -> None:
        """Tells that a rollout came which there is no time to measure."""
        now = time.monotonic()
        self._bare = self.model.rollout_buffer.rewards.size >= MANY_ROWS or now - self._bare_at >= BARE_EVERY
        if self._bare:
            self._bare_at = now
            self._attached.passed(self.model, self._attached.updates, {})

    def _passed(self) -> None:
        """Tells what an update left in the logger, where that was not told, and that it has passed."""
        if not self._logged:
            self._numbers.updated(self.model)
        if self._bare:
            self._attached.passed(self.model, self._attached.updates, {}, UPDATED)

    def _collected(self, rollout: HeldRollout) -> EvaluatedRows | None:
        attempt, model, attached = self._watcher.attempt, self.model, self._attached
        parts: dict[str, Any] = {
            "estimates": attempt("estimates", lambda: read_estimates(model, rollout)),
            "normalisers": attempt("normaliser", lambda: attached.counting.looked(model)),
        }
        asked = None
        if self._looked and is_torch(model.policy):
            asked = attempt("probabilities", lambda: self._asked(rollout, LOOKED_ROWS, floor=True))
            if asked is not None:
                fresh = asked
                parts["probabilities"] = self._probabilities(rollout, fresh=fresh)
                if is_recurrent(model.policy):
                    parts["recurrence"] = attempt("recurrence", lambda: measure_recurrence(model, rollout, fresh))
        if self._steps is not None and len(self._steps):
            parts |= self._paired(rollout, self._steps)
        attempt("rollout", lambda: attached.rollout(model, attached.updates, parts))
        return asked

    def _paired(self, rollout: HeldRollout, steps: StepCopies) -> dict[str, Any]:
        attempt, model, count = self._watcher.attempt, self.model, len(steps)
        if steps.components:
            means = {f"{COMPONENT}{name}": float(np.mean(values)) for name, values in steps.components.items()}
            self._watcher.metrics(model.num_timesteps, means)
        kept = {name: value for name, value in vars(rollout).items() if name not in ("ended", "last_value", "states")}

        def stored() -> Any:
            observations = flatten_observations(rollout.observations, 2)[:count]
            return check_storage(kept, observations, np.stack(steps.observations))

        return {
            "pairing": attempt("pairing", lambda: make_pairing(model, rollout, steps)),
            "actions": attempt("actions", lambda: compare_actions(model, rollout.actions[:count], steps)),
            "storage": attempt("storage", stored),
        }

    def _asked(self, rollout: HeldRollout, most: int, *, floor: bool = False) -> EvaluatedRows:
        if is_recurrent(self.model.policy):
            return replay_rollout(self.model, rollout, floor=floor)
        return evaluate_rows(self.model, rollout, choose_rows(rollout, most), floor=floor)

    def _probabilities(
        self, rollout: HeldRollout, fresh: EvaluatedRows | None = None, after: EvaluatedRows | None = None
    ) -> Probabilities:
        rows = (fresh or after).rows  # type: ignore[union-attr]
        schedule = getattr(self.model, "clip_range", None)
        return Probabilities(
            stored=rollout.log_probs.reshape(-1)[rows],
            fresh=None if fresh is None else fresh.log_probs,
            after=None if after is None else after.log_probs,
            floor=0.0 if fresh is None else fresh.floor,
            epochs=int(getattr(self.model, "n_epochs", 1)),
            clip_range=float(schedule(self.model._current_progress_remaining)) if callable(schedule) else None,
            used_ratio_spread=None if after is None else self._ratios(),
        )

    def _trained(self, train: Callable[[], Any], rollout: HeldRollout | None, asked: EvaluatedRows | None) -> Any:
        """Runs the update and tells what became of it."""
        self._attached.pending = None
        seen = _OnPolicyUpdate(self.model, self._looked)
        self._watcher.attempt("update", seen.begin)
        try:
            result = train()
        finally:
            seen.end()
        if not self._attached.closed:
            if rollout is not None:
                self._updated(rollout, asked, seen)
            self._logged = True
            self._watcher.attempt("numbers", lambda: self._numbers.updated(self.model, now=True))
        return result

    def _updated(self, rollout: HeldRollout, asked: EvaluatedRows | None, seen: _OnPolicyUpdate) -> None:
        attempt, model, attached = self._watcher.attempt, self.model, self._attached
        parts: dict[str, Any] = {}
        if is_torch(model.policy) and (self._looked or self._watcher.measures(attached.updates)):
            most = LOOKED_ROWS if asked is not None else MEASURED_ROWS
            after = attempt("probabilities", lambda: self._asked(rollout, most))
            if after is not None:
                parts["probabilities"] = self._probabilities(rollout, asked, after)
                parts["spread"] = attempt("spread", lambda: measure_spread(model, rollout, after))
        if self._looked:
            parts["movement"] = attempt("movement", seen.movement)
            parts["losses"] = seen.losses.calls
            parts["minibatch"] = attempt("minibatch", lambda: seen.minibatches.pairing(rollout))
            parts["ages"] = attempt("ages", lambda: self._aged(rollout, seen.minibatches))
        attempt("rollout", lambda: attached.rollout(model, attached.updates, parts, UPDATED))

    def _aged(self, rollout: HeldRollout, minibatches: FirstMinibatches) -> SampleAges | None:
        """How old the rows are that were learned from, as far as the rollouts before were looked at."""
        update = self._attached.updates
        self._known = [*(each for each in self._known if each.update == update - 1), KnownRows.of(update, rollout)]
        return minibatches.ages(self._known)

    def _ratios(self) -> float | None:
        """How far the ratios of the loss were from 1, where the log says that there was no distance at all."""
        logged = self.model.logger.name_to_value
        both = logged.get("train/approx_kl"), logged.get("train/clip_fraction")
        return 0.0 if both == (0.0, 0.0) else None

    def on_training_end(self) -> None:
        """Tells what is left."""
        self._attached.withdraw()
        if not self._attached.closed:
            self._watcher.attempt("episodes", lambda: self._numbers.episodes(self.model))
            if self._attached.updates and not self._logged:
                self._watcher.attempt("numbers", lambda: self._numbers.updated(self.model, now=True))


class _OnPolicyUpdate(SeenUpdate):
    """An update with its losses and minibatches as well; an ordinary one is not looked into."""

    def __init__(self, model: Any, looked: bool) -> None:
        super().__init__(model)
        self._wanted = looked
        self.losses = Losses()
        self.minibatches = FirstMinibatches()

    def begin(self) -> None:
        """Puts hooks everywhere, where this update is looked at."""
        if self._wanted:
            self.minibatches.watched(self._model.rollout_buffer, self.undo)
            if is_torch(self._model.policy):
                losses_watched(self._model, self.losses, self.undo)
                super().begin()
