"""Layers that give answers, traced before optimizer steps: a target network shows by its weights what it is.

Some weights are enough: those of the last layer of every network that learns, and of the layers like it that answered
without being learned from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from weaklink.adapters.torch.arrays import to_array
from weaklink.adapters.torch.outputs import OutputRecord
from weaklink.base.evidence.update import LayerTrace

MOST_WEIGHTS = 256
"""Weights of a layer that are kept: enough to fit one rate, and nothing to copy."""


class LayerTraces:
    """The traces of one update."""

    def __init__(self) -> None:
        self._traces: list[tuple[nn.Module, int, Any, bool]] = []
        self._seen = 0

    def note(self, step: int, heads: Sequence[OutputRecord], asked: Sequence[OutputRecord]) -> None:
        """Traces the heads of a step, and layers like them that answered since the step before.

        Args:
            step: which optimizer step is about to be made.
            heads: the passes that it learns from.
            asked: all passes so far that no loss asked anything of.
        """
        learning = {id(record.module): record.module for record in heads if _shape(record.module) is not None}
        shapes = {_shape(module) for module in learning.values()}
        answering = {id(record.module): record.module for record in asked[self._seen :]}
        if shapes:
            self._seen = len(asked)
        for place, module in {**answering, **learning}.items():
            if _shape(module) in shapes:
                self._traces.append((module, step, _take_weights(module), place in learning))

    def read(self, name: Callable[[nn.Module], str]) -> tuple[LayerTrace, ...]:
        """All traces, by the names of their modules."""
        return tuple(
            LayerTrace(name(module), step, to_array(taken), learns) for module, step, taken, learns in self._traces
        )


def _shape(module: nn.Module) -> tuple[int, ...] | None:
    """The shape of the weight of a layer; None where the module is none."""
    weight = getattr(module, "weight", None)
    if not isinstance(weight, torch.Tensor) or weight.ndim != 2 or next(module.children(), None) is not None:
        return None
    return tuple(weight.shape)


def _take_weights(module: Any) -> Any:
    flat = module.weight.detach().reshape(-1)
    return flat[:: -(-len(flat) // MOST_WEIGHTS)].clone()
