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
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import LayerTrace

MOST_WEIGHTS = 256
"""Weights of a layer that are kept: enough to fit one rate, and nothing to copy."""

SCALING = ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop")
"""Optimizers that divide each gradient by its usual size: a step moves each weight by about the learning rate."""

MOST_KNOWN = 64
"""Layers whose weights are held on to until the end: a program may make networks without end."""


class LayerTraces:
    """The traces of one update at a time."""

    def __init__(self) -> None:
        self._traces: list[tuple[nn.Module, int, Any, bool, float | None, Any, bool]] = []
        self._known: dict[str, Any] = {}
        self.clear()

    def clear(self) -> None:
        """Forgets the traces of an update; their layers are looked at again at the end of the run."""
        self._traces.clear()
        self._seen = 0

    def note(self, step: int, heads: Sequence[OutputRecord], asked: Sequence[OutputRecord], optimizer: Any) -> None:
        """Traces the heads of a step, and layers like them that answered since the step before.

        Args:
            step: which optimizer step is about to be made.
            heads: the passes that it learns from.
            asked: all passes so far that no loss asked anything of.
            optimizer: that is about to make it.
        """
        learning = {id(record.module): record.module for record in heads if _describe(record.module)}
        shapes = {_describe(module) for module in learning.values()}
        answering = {id(record.module): record.module for record in asked[self._seen :]}
        if shapes:
            self._seen = len(asked)
        for place, module in {**answering, **learning}.items():
            if _describe(module) in shapes:
                weight, learns = _find_weight(module), place in learning
                rate = _read_rate(optimizer, weight) if learns else None
                decay = _measure_decay(optimizer, weight) if learns else 0.0
                fresh = rate is not None and not optimizer.state.get(weight)
                self._traces.append((module, step, _take_weights(weight), learns, rate, decay, fresh))

    def read(self, name: Callable[[nn.Module], str]) -> tuple[LayerTrace, ...]:
        """All traces, by the names of their modules."""
        for module, *_ in self._traces if len(self._known) < MOST_KNOWN else ():
            self._known.setdefault(name(module), _find_weight(module))
        return tuple(
            LayerTrace(name(module), step, to_array(taken), learns, rate, float(decay), fresh)
            for module, step, taken, learns, rate, decay, fresh in self._traces
        )

    def read_now(self) -> dict[str, Array]:
        """The weights of the layers that were traced, as they are now or were when their network was given up."""
        return {name: to_array(_take_weights(weight)) for name, weight in self._known.items()}


def _read_rate(optimizer: Any, weight: Any) -> float | None:
    """The learning rate with which an optimizer of the kind of Adam moves a weight."""
    if not any(each.__name__ in SCALING for each in type(optimizer).__mro__):
        return None
    rate = _find_group(optimizer, weight).get("lr")
    return float(rate) if isinstance(rate, float | int) else None


def _measure_decay(optimizer: Any, weight: Any) -> Any:
    """How many times as large as its gradient what an optimizer adds to it for the decay of a weight is."""
    decay = _find_group(optimizer, weight).get("weight_decay", 0.0)
    apart = any("AdamW" in each.__name__ for each in type(optimizer).__mro__)  # there it is no part of the gradient
    if not isinstance(decay, float | int) or decay <= 0.0 or apart or weight.grad is None:
        return 0.0
    both = torch.linalg.vector_norm(weight.detach()), torch.linalg.vector_norm(weight.grad.detach())
    return decay * both[0] / both[1].clamp_min(1e-30)


def _find_group(optimizer: Any, weight: Any) -> dict[str, Any]:
    """The settings that an optimizer moves a weight with; none where it does not hold it."""
    held = (group for group in optimizer.param_groups if any(each is weight for each in group["params"]))
    return next(held, {})


def _describe(module: nn.Module) -> tuple[torch.Size, ...]:
    """The shapes of all weights of a layer, or of a network that gives one answer; empty where it has no matrix."""
    shapes = tuple(each.shape for each in module.parameters())
    return shapes if any(len(shape) > 1 for shape in shapes) else ()


def read_weights(module: nn.Module) -> Array | None:
    """Some weights of the last matrix of a module, as they are now; None where it has none."""
    return to_array(_take_weights(_find_weight(module))) if _describe(module) else None


def _find_weight(module: nn.Module) -> Any:
    """The last matrix of a module."""
    return next(each for each in reversed(list(module.parameters())) if each.ndim > 1)


def _take_weights(weight: Any) -> Any:
    flat = weight.detach().reshape(-1)
    return flat[:: -(-len(flat) // MOST_WEIGHTS)].clone()
