"""The losses of torch watched from outside: which two tensors met, and what they were."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

from torch.nn import functional

from weaklink.evidence.rollout import LossCall

OF_TORCH = ("mse_loss", "smooth_l1_loss", "huber_loss", "l1_loss")

QUANTILE = "quantile_huber_loss"
"""The loss of sb3-contrib, which its algorithms import by name."""

MOST_KINDS = 16


class Losses:
    """Every pair of shapes that met in a loss; `met` is told of each call before it is made."""

    def __init__(self, met: Callable[[Any, Any], None]) -> None:
        self._met = met
        self._kinds: dict[tuple[str, tuple[int, ...], tuple[int, ...]], None] = {}

    def watched(self, model: Any, undo: ExitStack) -> None:
        """Has torch's losses, and that of sb3-contrib where the model uses it, told here until `undo` is closed."""
        for name in OF_TORCH:
            self._replaced(vars(functional), name, undo)
        around = getattr(type(model).train, "__globals__", {})
        if QUANTILE in around:
            self._replaced(around, QUANTILE, undo)

    def _replaced(self, namespace: dict[str, Any], name: str, undo: ExitStack) -> None:
        original = namespace[name]

        def passing(*args: Any, **options: Any) -> Any:
            pair = [*args, *options.values()][:2]
            if len(pair) == 2 and all(hasattr(each, "shape") for each in pair):
                self._note(name, *pair)
            return original(*args, **options)

        def put_back() -> None:
            if namespace.get(name) is passing:
                namespace[name] = original

        namespace[name] = passing
        undo.callback(put_back)

    def _note(self, name: str, left: Any, right: Any) -> None:
        if len(self._kinds) < MOST_KINDS:
            self._kinds[name, tuple(left.shape), tuple(right.shape)] = None
        self._met(left, right)

    @property
    def calls(self) -> tuple[LossCall, ...] | None:
        """Every kind of call in the order of the first; None where no loss of torch was used."""
        found = tuple(LossCall(name=name, left=left, right=right) for name, left, right in self._kinds)
        return found or None
