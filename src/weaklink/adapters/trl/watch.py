"""Watches a GRPO or RLOO trainer of TRL while it trains, and leaves no trace in what it learns.

A look takes what the trainer itself computes: the tokens, the rewards, the log-probabilities and the loss. The model is
asked twice more for a few rows, without gradients and with the random generators put back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import torch

from weaklink.adapters.trl.batch import SeenBatch, read_scored, read_written
from weaklink.adapters.trl.callback import WatchingCallback
from weaklink.adapters.trl.groups import read_groups
from weaklink.adapters.trl.likelihoods import (
    RescoredRows,
    askable,
    compare_probabilities,
    compare_sampler,
    measure_reference_kl,
    rescore_rows,
    whole,
)
from weaklink.adapters.trl.movement import StepWeights
from weaklink.adapters.trl.tokens import read_token_mask
from weaklink.base.evidence.protocols import TrainingWatcher
from weaklink.base.evidence.rollout import COLLECTED, UPDATED, Rollout

LIKELIHOODS = "_get_per_token_logps_and_entropies"
NEEDED = ("_generate_and_score_completions", "_compute_loss", "add_callback")
ALGORITHMS = {"GRPOTrainer": "grpo", "RLOOTrainer": "rloo"}
SETTINGS = (
    "learning_rate", "lr_scheduler_type", "warmup_steps", "weight_decay", "max_grad_norm", "beta", "num_generations",
    "num_iterations", "steps_per_generation", "epsilon", "epsilon_high", "delta", "temperature", "top_p", "top_k",
    "min_p", "repetition_penalty", "loss_type", "scale_rewards", "normalize_advantages", "importance_sampling_level",
    "reward_weights", "mask_truncated_completions", "max_completion_length", "per_device_train_batch_size",
    "gradient_accumulation_steps", "max_steps", "num_train_epochs", "use_vllm", "sync_ref_model", "bf16", "fp16",
    "activation_checkpointing", "gradient_checkpointing", "seed",
)  # fmt: skip


def watches(trainer: Any) -> bool:
    """Whether this is a trainer that can be watched."""
    known = any(ancestor.__name__ in ALGORITHMS for ancestor in type(trainer).__mro__)
    return known and all(callable(getattr(trainer, name, None)) for name in NEEDED)


def watch(trainer: Any, watcher: TrainingWatcher) -> Callable[[], None]:
    """Watches a `GRPOTrainer` or `RLOOTrainer`, or one made from them, from its next batch on.

    Args:
        trainer: before or during its training.
        watcher: whom to tell.

    Returns:
        A function that takes the watching away again.
    """
    return _WatchedTrainer(trainer, watcher).detach


class _WatchedTrainer:
    """The methods of one trainer, wrapped."""

    def __init__(self, trainer: Any, watcher: TrainingWatcher) -> None:
        self.trainer, self.watcher = trainer, watcher
        self.algorithm = next(
            ALGORITHMS[kind.__name__] for kind in type(trainer).__mro__ if kind.__name__ in ALGORITHMS
        )
        self.update = 0
        self._batch: SeenBatch | None = None
        self._step_due = 0
        self._moving: StepWeights | None = None
        self._inner: dict[str, Any] = {}
        self._spies: dict[str, tuple[Any, Any]] = {}
        self._tell()
        self._wrap("_generate_and_score_completions", self._making)
        self._wrap("_compute_loss", self._learning)
        self._wrap("_generate", self._writing)
        self._wrap("_calculate_rewards", self._rewarding)
        self._wrap(LIKELIHOODS, self._scoring)
        self._callback = WatchingCallback(self)
        trainer.add_callback(self._callback)

    def _tell(self) -> None:
        known = ((name, getattr(self.trainer.args, name, None)) for name in SETTINGS)
        self.watcher.config.update({name: getattr(value, "value", value) for name, value in known if value is not None})
        self.watcher.config["algo"] = self.algorithm
        self.watcher.context.update(framework="trl", algorithm=self.algorithm, family="language")
        self.watcher.on_failure(self.trainer.save_model)

    def _wrap(self, name: str, around: Callable[..., Any]) -> None:
        inner = getattr(self.trainer, name, None)
        if inner is None:
            return

        @functools.wraps(inner)
        def spy(*arguments: Any, **named: Any) -> Any:
            return around(inner, *arguments, **named)

        self._inner[name] = inner
        self._spies[name] = (spy, self.trainer.__dict__.get(name))
        setattr(self.trainer, name, spy)

    def detach(self) -> None:
        """Puts the trainer's own methods back. What somebody else has wrapped since stays, and does nothing more."""
        self._batch = self._moving = None
        for name, (spy, before) in self._spies.items():
            if self.trainer.__dict__.get(name) is not spy:
                continue
            if before is None:
                delattr(self.trainer, name)
            else:
                setattr(self.trainer, name, before)
        self._spies.clear()
        if self._callback in self.trainer.callback_handler.callbacks:
            self.trainer.remove_callback(self._callback)

    # what the trainer does, in its order

    def _making(self, inner: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        if not self._spies or not self.trainer.model.training:
            return inner(*arguments, **named)
        self.update += 1
        self._batch = SeenBatch(self.update) if self.watcher.looks(self.update) else None
        output = inner(*arguments, **named)
        if self._batch is not None:
            self._batch.output = output
        return output

    def _writing(self, inner: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        made = inner(*arguments, **named)
        batch = self._batch
        if batch is not None and batch.output is None:
            batch.written = self.watcher.attempt("tokens of a TRL batch", lambda: read_written(made))
        return made

    def _rewarding(self, inner: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        rewards = inner(*arguments, **named)
        if self._batch is not None and self._batch.output is None and isinstance(rewards, torch.Tensor):
            self._batch.rewards = rewards.detach().clone()
        if self._spies and self.trainer.accelerator.num_processes > 1 and self.trainer.model.training:
            self.watcher.attempt("rewards of a rank of TRL", lambda: self._tell_own(rewards))
        return rewards

    def _tell_own(self, rewards: Any) -> None:
        """The mean reward of what this rank has sampled; the trainer logs that of all ranks alone."""
        accelerator = self.trainer.accelerator
        paid = rewards.detach() * self.trainer.reward_weights.to(rewards.device)
        own = paid.nansum(dim=1).chunk(accelerator.num_processes)[accelerator.process_index]
        self.watcher.metrics(float(self.trainer.state.global_step), {"reward.of_rank": float(own.mean())})

    def _scoring(self, inner: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        answer = inner(*arguments, **named)
        batch = self._batch
        if batch is not None:
            seen = self.watcher.attempt("scores of TRL", lambda: read_scored(arguments, named, answer))
            if seen is not None:
                (batch.making if batch.output is None else batch.learning).append(seen)
        return answer

    def _learning(self, inner: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        batch = self._batch
        if batch is None or batch.output is None or not self.trainer.model.training:
            return inner(*arguments, **named)
        batch.learning.clear()
        loss = inner(*arguments, **named)
        self._batch = None
        inputs = named.get("inputs", arguments[-1] if arguments else None)
        if isinstance(inputs, Mapping):
            self._look(batch, inputs, loss)
        return loss

    # what is made of it

    def _look(self, batch: SeenBatch, inputs: Mapping[str, Any], loss: Any) -> None:
        attempt, trainer = self.watcher.attempt, self.trainer
        seen = attempt("log-probabilities of TRL", lambda: self._asked(batch, inputs))
        parts: dict[str, Callable[[], Any]] = {
            "groups": lambda: read_groups(trainer, batch),
            "tokens": lambda: read_token_mask(trainer, batch, inputs, loss),
            "sampler": lambda: compare_sampler(trainer, seen, inputs),
            "probabilities": lambda: compare_probabilities(trainer, seen, batch, inputs),
        }
        if trainer.state.global_step == 0:
            parts["reference"] = lambda: measure_reference_kl(trainer, seen, batch, inputs)
        looks = {name: attempt(f"{name} of TRL", part) for name, part in parts.items()}
        self.watcher.take(self._rollout(batch.update, COLLECTED, **looks))
        self._step_due = batch.update if attempt("gradients of TRL", lambda: _moves(trainer, inputs)) else 0

    def _asked(self, batch: SeenBatch, inputs: Mapping[str, Any]) -> RescoredRows | None:
        if batch.written is None or len(batch.learning) != 1 or not askable(self.trainer, inputs):
            return None
        return rescore_rows(self.trainer, self._inner[LIKELIHOODS], batch.written, batch.learning[0])

    def _rollout(self, update: int, moment: str, **parts: Any) -> Rollout:
        return Rollout(
            step=float(self.trainer.state.global_step),
            update=update,
            moment=moment,
            algorithm=self.algorithm,
            framework="trl",
            family="language",
            **parts,
        )

    def before_step(self, model: Any, optimizer: Any) -> None:
        """Keeps the weights before the first optimizer step of a batch that is looked at."""
        if self._step_due and model is not None and optimizer is not None:
            first = self.trainer.state.global_step == 0
            self._moving = self.watcher.attempt("weights of TRL", lambda: StepWeights(model, optimizer, first=first))

    def after_step(self, model: Any) -> None:
        """Tells what the step changed. A warm-up that stands at 0 changes nothing, rightly."""
        moving, update, self._moving, self._step_due = self._moving, self._step_due, None, 0
        if moving is None or (moving.learning_rate == 0.0 and self.trainer.args.learning_rate != 0.0):
            return
        if getattr(self.trainer.accelerator, "optimizer_step_was_skipped", False):
            return
        movement = self.watcher.attempt("changes of TRL", lambda: moving.moved(model))
        if movement is not None:
            self.watcher.take(self._rollout(update, UPDATED, movement=movement))


def _moves(trainer: Any, inputs: Mapping[str, Any]) -> bool:
    """Whether the next step should move the weights: a completion with tokens that count was better than another.

    A penalty alone does not: its slope is 0 where policy and reference are the same.
    """
    if not whole(trainer):
        return False
    counted = (
        inputs["completion_mask"] if "tool_mask" not in inputs else inputs["completion_mask"] * inputs["tool_mask"]
    )
    better = (inputs["advantages"] != 0).reshape(len(counted), -1).any(dim=1)
    return bool((better & counted.bool().any(dim=1)).any())
