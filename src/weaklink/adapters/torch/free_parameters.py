"""Parameters that belong to no layer, such as the logarithm of a standard deviation or of a temperature."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import nn

from weaklink.adapters.torch.arrays import to_array
from weaklink.adapters.torch.living import list_living
from weaklink.adapters.torch.outputs import OutputRecord
from weaklink.base.evidence.update import FreeParameter

MOST_FREE = 4096
"""Elements of a parameter without a layer; a larger one is no temperature and no spread."""


class FreeParameters:
    """Those of one captured update that got a gradient, whether an optimizer holds them or none does."""

    def __init__(self) -> None:
        self._found: list[tuple[Any, bool, int, Any, Any]] = []
        self._entered: dict[int, nn.Module] = {}
        self._owned: set[int] = set()
        self._optimised: set[int] = set()

    def enter(self, module: nn.Module) -> None:
        """A module is asked."""
        self._entered[id(module)] = module

    def note(self, held: dict[int, Any], records: Iterable[OutputRecord], step: int) -> None:
        """Keeps what an optimizer is about to move, and what got a gradient and is moved by nobody so far.

        Args:
            held: what the optimizer moves, by identity.
            records: all outputs.
            step: of the update.
        """
        self._optimised.update(held)
        for record in records:
            if _is_layer(record.module):
                self._owned.update(map(id, record.module.parameters()))
        # a network of which nothing is held is fixed on purpose, or an optimizer holds copies of all of it
        around = [each for each in self._entered.values() if not _is_layer(each) and self._holds_some(each)]
        beside = {id(each): each for module in around for each in module.parameters(recurse=False)}
        moved = [each for place, each in held.items() if place not in self._owned]
        left = [each for place, each in beside.items() if place not in self._optimised and _is_asked(each)]
        for parameter, idle in (*((each, False) for each in moved), *((each, True) for each in left)):
            if parameter.grad is not None and parameter.numel() <= MOST_FREE:
                values, gradient = parameter.detach().clone(), parameter.grad.detach().clone()
                self._found.append((parameter, idle, step, values, gradient))

    def read(self, name: Callable[[Any], str]) -> tuple[FreeParameter, ...]:
        """All of them, in the order of time; one that another optimizer holds is told by the steps of that one."""
        if any(idle for _, idle, *_ in self._found):
            for optimizer in list_living(torch.optim.Optimizer):
                self._optimised.update(id(each) for group in optimizer.param_groups for each in group["params"])
        return tuple(
            FreeParameter(name(each), step, to_array(values), to_array(gradient), idle)
            for each, idle, step, values, gradient in self._found
            if not (idle and id(each) in self._optimised)
        )

    def _holds_some(self, module: nn.Module) -> bool:
        return any(id(each) in self._optimised for each in module.parameters())


def _is_layer(module: nn.Module) -> bool:
    return next(module.children(), None) is None


def _is_asked(parameter: Any) -> bool:
    """Whether a loss asks something of a parameter that may be moved."""
    return bool(parameter.requires_grad and parameter.grad is not None and torch.any(parameter.grad != 0.0))
