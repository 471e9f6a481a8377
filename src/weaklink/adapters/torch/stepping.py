"""Steps of any optimizer of the process, told as they are made, before anybody watches them closer."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
from torch.optim import optimizer as torch_optimizer


class SteppedOptimizers:
    """The optimizers of the process that have stepped; `tell` is called after each step."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = tell
        self._sizes: dict[int, int] = {}
        self._main: Callable[[], Any] = lambda: None
        torch_optimizer.register_optimizer_step_post_hook(self._stepped)

    def _stepped(self, optimizer: Any, *_: Any) -> None:
        if torch.compiler.is_compiling():
            return
        if id(optimizer) not in self._sizes:
            with suppress(Exception):  # nothing that is done here may end a training
                self._meet(optimizer)
        self._tell()

    def _meet(self, optimizer: Any) -> None:
        """Counts the weights of an optimizer; the one with the most is the main one."""
        size = sum(each.numel() for group in optimizer.param_groups for each in group["params"])
        if size > max(self._sizes.values(), default=-1):
            self._main = weakref.ref(optimizer)
        self._sizes[id(optimizer)] = size

    def read_rate(self) -> float | None:
        """The learning rate of the main optimizer; None where it has none, or on an accelerator."""
        optimizer = self._main()
        rate = None if optimizer is None else optimizer.param_groups[0].get("lr")
        return float(rate) if isinstance(rate, int | float) else None
