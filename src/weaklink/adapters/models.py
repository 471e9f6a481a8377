"""Which adapter examines a model, known by where its types come from, so that no framework is loaded for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from weaklink.adapters.framework import list_frameworks
from weaklink.base.errors import UsageError
from weaklink.base.evidence.model import ModelCheck
from weaklink.base.evidence.series import Array

Checker = Callable[..., ModelCheck]
"""`examined(model, observations, *, seed, updates, seconds)`."""

_BUNDLE = ("weaklink.adapters.torchrl.model", "TorchRLModel")


def find_checker(model: Any) -> Checker:
    """The function that examines this model.

    Args:
        model: a Stable-Baselines3 or sb3-contrib model; a TorchRL actor, or a `TorchRLModel`, dict or tuple of actor,
            critic, loss, optimizer and environment.

    Raises:
        UsageError: the type belongs to none of these.
    """
    packages = set(_list_packages(model))
    for known in list_frameworks():
        if known.model and packages & set(known.packages):
            checker: Checker = known.load(known.model).examined
            return checker
    raise UsageError(
        "A model is a Stable-Baselines3 or sb3-contrib model (`PPO(...)`), a TorchRL actor, or a TorchRLModel, dict or "
        f"tuple of actor, critic, loss, optimizer and env; {type(model).__name__} is none. Name a factory that returns "
        "one: --model module:function."
    )


def examined(
    model: Any, observations: Array | None = None, *, seed: int = 0, updates: int = 3, seconds: float = 20.0
) -> ModelCheck:
    """Looks at a model from all sides by the adapter for its kind; see there for the arguments."""
    return find_checker(model)(model, observations, seed=seed, updates=updates, seconds=seconds)


def _list_packages(model: Any) -> Iterable[str]:
    """The packages that a thing's type, or the types of its parts, come from."""
    if any((ancestor.__module__, ancestor.__name__) == _BUNDLE for ancestor in type(model).__mro__):
        yield "torchrl"
    parts: Iterable[Any] = (model,)
    if isinstance(model, Mapping):
        parts = [model["actor"]] if "actor" in model else []
    elif isinstance(model, tuple | list):
        parts = list(model[:1])
    for part in parts:
        for ancestor in type(part).__mro__:
            yield ancestor.__module__.partition(".")[0]
