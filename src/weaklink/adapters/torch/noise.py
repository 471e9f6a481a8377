"""The gradient noise scale (McCandlish et al., 2018) from a few minibatches in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from weaklink.adapters.torch.deferred import DeferredNumbers
from weaklink.adapters.torch.sampling import sample_elements

WINDOW = 4
"""Minibatches in a row whose gradients are compared."""

ELEMENTS = 65_536
MEMORY = 0.9
"""How much of the former estimate is kept: signal and noise are averaged apart, since their ratio is biased."""


class GradientNoise:
    """Gradients of successive minibatches: what they have in common is signal, what they have not is noise."""

    def __init__(self, deferred: DeferredNumbers) -> None:
        self.open = False
        self._deferred = deferred
        self._sum: Any = None
        self._squares: list[Any] = []
        self._signal, self._noise, self._weight = 0.0, 0.0, 0.0

    def begin(self) -> None:
        """Starts a window with the next minibatch, unless one is open."""
        if not self.open:
            self.open, self._sum, self._squares = True, None, []

    def add(self, gradients: list[Any], clipped: tuple[Any, float] | None, told: Callable[[float], None]) -> None:
        """Takes the gradients of a minibatch while a window is open.

        Args:
            gradients: as the optimizer gets them.
            clipped: their norm before clipping and the largest one allowed, so that clipping can be undone.
            told: is told the noise scale in batches, once a window is complete and its numbers have arrived.
        """
        if not self.open:
            return
        values = sample_elements(gradients, ELEMENTS)
        if values is None:
            return
        if clipped is not None and torch.is_tensor(clipped[0]):
            values.mul_((clipped[0].to(values.device) / float(clipped[1])).clamp_min(1.0))
        if self._sum is not None and self._sum.shape != values.shape:
            self._sum, self._squares = None, []
        self._squares.append(values.square().sum())
        self._sum = values if self._sum is None else self._sum.add_(values)
        if len(self._squares) == WINDOW:
            joint = self._sum.square().sum() / WINDOW**2
            self._deferred.put([torch.stack(self._squares).mean(), joint], lambda found: self._estimated(found, told))
            self.open, self._sum, self._squares = False, None, []

    def _estimated(self, found: list[float], told: Callable[[float], None]) -> None:
        single, joint = found
        noise = (single - joint) / (1.0 - 1.0 / WINDOW)
        signal = joint - noise / WINDOW
        if not abs(noise) < float("inf") or not abs(signal) < float("inf"):
            return
        self._weight = MEMORY * self._weight + 1.0 - MEMORY
        self._noise = MEMORY * self._noise + (1.0 - MEMORY) * noise
        self._signal = MEMORY * self._signal + (1.0 - MEMORY) * signal
        if self._weight > 0.5 and self._signal > 0.0:
            told(self._noise / self._signal)
