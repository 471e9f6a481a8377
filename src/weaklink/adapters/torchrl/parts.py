"""Losses and `Trainer` objects of TorchRL, taken apart into the agent that they train."""

from __future__ import annotations

import contextlib
import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import torch
from torchrl.objectives.value import ValueEstimatorBase

from weaklink.adapters.torchrl.agent import ASSUMED_DISCOUNT, TorchRLAgent, agent_of
from weaklink.base.errors import UsageError

ACTORS = ("actor_network", "policy_network", "value_network")
CRITICS = ("critic_network", "value_network")
QVALUES = ("qvalue_network", "qvalue_network1")


class HeldModule:
    """A module of a loss with the weights that the loss trains; of several sets of them, the least answer."""

    def __init__(self, module: Any, weights: Any) -> None:
        self.in_keys, self.out_keys = list(module.in_keys), list(module.out_keys)
        self._module, self._weights = module, weights
        if hasattr(module, "get_dist"):
            self.get_dist = self._distribution

    @property
    def spec(self) -> Any:
        """The spec of the module's actions, where it has one."""
        return getattr(self._module, "spec", None)

    def __call__(self, held: Any) -> Any:
        """What the module answers."""
        sets = self._sets()
        answers = [self._answered(weights, held) for weights in sets]
        for key in self.out_keys if len(sets) > 1 else ():
            answers[0][key] = torch.stack([each[key] for each in answers]).amin(dim=0)
        return answers[0]

    def _distribution(self, held: Any) -> Any:
        with self._sets()[0].to_module(self._module):
            return self._module.get_dist(held)

    def _answered(self, weights: Any, held: Any) -> Any:
        module = self._module
        with weights.to_module(module):
            return module(held.clone())

    def _sets(self) -> list[Any]:
        weights = self._weights
        return [weights] if not weights.batch_dims else [weights[place] for place in range(weights.shape[0])]

    def modules(self) -> Iterator[Any]:
        """The module and all within it."""
        return iter(self._module.modules())

    def parameters(self) -> Iterator[Any]:
        """The weights, for the device they are on."""
        return iter(self._weights.values(True, True))


def agent_of_loss(loss: Any, *, gamma: float | None = None, **options: Any) -> TorchRLAgent:
    """The agent that a loss module trains.

    Args:
        loss: such as ClipPPOLoss, SACLoss or DQNLoss.
        gamma: the discount; that of the loss's own value estimator where it is not given.
        options: further arguments of `agent_of`.

    Returns:
        The agent with whichever of value and q-value the loss has, and its temperature.

    Raises:
        UsageError: where the loss has no actor.
    """
    actor = _find_first(loss, ACTORS)
    if actor is None:
        raise UsageError(
            f"No actor was found in {type(loss).__name__}: it has none of {', '.join(ACTORS)}. Return agent_of(actor, "
            "value) instead."
        )
    if gamma is None:
        gamma = next((round(float(each.gamma), 6) for each in find_estimators(loss)), ASSUMED_DISCOUNT)
    value = None if "action_value" in map(str, actor.out_keys) else _find_first(loss, CRITICS)
    if "log_alpha" in {name for name, _ in (*loss.named_parameters(), *loss.named_buffers())}:
        options.setdefault("temperature", float(loss.log_alpha.detach().exp()))
        options.setdefault("target_entropy", float(loss.target_entropy))
    return agent_of(actor, value, _find_first(loss, QVALUES), gamma=gamma, **options)


def trained(trainer: Any, steps: int, gamma: float | None = None) -> TorchRLAgent:
    """Runs a TorchRL `Trainer` and returns the agent that it trained.

    Args:
        trainer: a `torchrl.trainers.Trainer`, made and not yet run.
        steps: environment steps.
        gamma: the discount; that of the trainer's own estimators where it is not given.

    Returns:
        The agent. Its environment's transforms are applied to what it is asked about.
    """
    found = [*_find_hooked(trainer), *find_estimators(trainer.loss_module)]
    for estimator in found if gamma is not None else ():
        estimator.gamma.fill_(gamma)
    used = next((round(float(each.gamma), 6) for each in found), gamma if gamma is not None else ASSUMED_DISCOUNT)
    env = getattr(trainer.collector, "env", None)
    trainer.total_frames, trainer.progress_bar = steps, False
    if getattr(trainer.collector, "total_frames", steps) < steps:  # a collector stops at a number of its own
        trainer.collector.total_frames = steps
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trainer.train()
    return agent_of_loss(trainer.loss_module, gamma=used, env=env)


def find_estimators(loss: Any) -> list[Any]:
    """The value estimators of a loss that hold a discount."""
    with contextlib.suppress(AttributeError, NotImplementedError, KeyError):
        found = loss.value_estimator
        return [found] if isinstance(getattr(found, "gamma", None), torch.Tensor) else []
    return []


def _find_hooked(trainer: Any) -> list[Any]:
    """The value estimators among a trainer's own operations."""
    found: list[Any] = []
    for kind, held in vars(trainer).items():
        for entry in held if kind.endswith("_ops") and isinstance(held, list) else ():
            operation = inspect.unwrap(entry[0] if isinstance(entry, tuple) else entry)
            inner = [operation, *vars(operation).values()] if hasattr(operation, "__dict__") else [operation]
            found.extend(each for each in inner if isinstance(each, ValueEstimatorBase))
    return found


def _find_first(loss: Any, names: tuple[str, ...]) -> Any:
    for name in names:
        module, weights = getattr(loss, name, None), getattr(loss, f"{name}_params", None)
        if module is not None and hasattr(module, "in_keys"):
            return module if weights is None else HeldModule(module, weights)
    return None
