"""Stable-Baselines3 models made with other arguments than their code says, without touching that code.

While a model is made, the constructors of all algorithms are replaced by ones that change arguments and pass on. The
first constructor on the way that names an argument is the one that counts: a subclass that hands it down is changed
where it does, and values that an algorithm itself hands to its parents are left.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm

from weaklink.base.errors import UsageError

Turn = Callable[[Any], Any]
"""From the value that was given, or the default, to the one to use instead."""


class ChangedArguments:
    """What became of the arguments: their values before and after, and which algorithms were made."""

    def __init__(self, turns: Mapping[str, Turn]) -> None:
        self.turns = dict(turns)
        self.values: dict[str, tuple[Any, Any]] = {}
        self.made: list[str] = []

    def required(self, name: str) -> None:
        """Refuses a model in which an argument was not changed.

        Raises:
            UsageError: no algorithm was made, or none of those made has such an argument.
        """
        if not self.made:
            raise UsageError(
                "make_model made no Stable-Baselines3 model, so no argument of one can be changed. It must call the "
                "algorithm itself, such as PPO(...), and not load a saved one."
            )
        if name not in self.values:
            raise UsageError(f"{self.made[0]} has no argument '{name}', so the experiment cannot change it.")


@contextlib.contextmanager
def change_arguments(turns: Mapping[str, Turn]) -> Iterator[ChangedArguments]:
    """Models that are made inside get other arguments.

    Args:
        turns: by the name of a constructor's argument, or `policy_kwargs.NAME` for one of the network's.
    """
    told = ChangedArguments(turns)
    originals = {kind: kind.__init__ for kind in _list_algorithms() if "__init__" in vars(kind)}
    for kind, original in originals.items():
        kind.__init__ = _replace_init(original, told)
    try:
        yield told
    finally:
        for kind, original in originals.items():
            kind.__init__ = original


def _list_algorithms() -> list[Any]:
    """Every class of algorithm that is loaded; those of sb3-contrib are, where it is installed."""
    import_module("stable_baselines3")
    with contextlib.suppress(ImportError):
        import_module("sb3_contrib")
    found: dict[Any, None] = {}
    waiting: list[Any] = [BaseAlgorithm]
    while waiting:
        kind = waiting.pop()
        found[kind] = None
        waiting += [each for each in kind.__subclasses__() if each not in found]
    return list(found)


def _replace_init(original: Callable[..., None], told: ChangedArguments) -> Callable[..., None]:
    signature = inspect.signature(original)

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        told.made.append(type(self).__name__)
        wanted = [name for name in told.turns if name.partition(".")[0] in signature.parameters]
        wanted = [name for name in wanted if name not in told.values]
        if not wanted:
            original(self, *args, **options)
            return
        bound = signature.bind(self, *args, **options)
        bound.apply_defaults()
        for name in wanted:
            _turn(bound.arguments, name, told)
        original(*bound.args, **bound.kwargs)

    __init__.__wrapped__ = original  # type: ignore[attr-defined]
    return __init__


def _turn(arguments: dict[str, Any], name: str, told: ChangedArguments) -> None:
    outer, _, inner = name.partition(".")
    given = arguments[outer]
    before = (given or {}).get(inner) if inner else given
    after = told.turns[name](before)
    told.values[name] = before, after
    arguments[outer] = {**(given or {}), inner: after} if inner else after
