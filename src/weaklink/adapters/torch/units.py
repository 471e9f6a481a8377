"""Units that are dead: rectifiers whose output is nothing for every row they are shown."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

RECTIFIERS = (nn.ReLU, nn.ReLU6)
"""Layers whose units can go silent altogether; others always let something through."""


class UnitCount:
    """What was counted: `share` is None where no rectifier was called."""

    def __init__(self) -> None:
        self._silent: list[Any] = []

    def see(self, module: nn.Module, arguments: Any, output: Any) -> None:
        """Takes the output of one layer, rows first."""
        if torch.is_tensor(output) and output.ndim >= 2 and len(output) > 1:
            self._silent.append((output.detach().reshape(len(output), -1) <= 0.0).all(dim=0))

    @property
    def share(self) -> float | None:
        """The share of units that no row woke."""
        return float(torch.cat(self._silent).float().mean()) if self._silent else None


@contextlib.contextmanager
def count_units(module: Any) -> Iterator[UnitCount]:
    """Counts dead units over the calls of a module inside; nothing stays on it."""
    units = UnitCount()
    layers = [each for each in module.modules() if isinstance(each, RECTIFIERS)] if module is not None else []
    handles = [layer.register_forward_hook(units.see) for layer in layers]
    try:
        yield units
    finally:
        for handle in handles:
            handle.remove()
