"""Whether optimizers step within the limits that `clip_grad_norm_` was called with."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from weaklink.adapters.torch import clipping
from weaklink.base.evidence.update import LimitedStep


class LimitedGradients:
    """The gradients of one captured update that were clipped, as they are when their optimizers step."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()
        self._clipped: list[tuple[frozenset[int], float]] = []
        self._steps: list[tuple[int, float, Any]] = []

    def listen(self) -> Callable[[], None]:
        """Hears of every call from now on; a function that ends it."""
        return clipping.listen(self._note)

    def note_step(self, held: Mapping[int, Any], step: int) -> None:
        """Compares the gradients that an optimizer is about to step with to the limits that they were clipped to.

        Args:
            held: the parameters that it moves, by identity.
            step: its number within the update.
        """
        waiting = []
        for names, limit in self._clipped:
            gradients = [held[name].grad for name in names if name in held]
            if not gradients:
                waiting.append((names, limit))
                continue
            with torch.no_grad():
                self._steps.append((step, limit, torch.nn.utils.get_total_norm(gradients)))
        self._clipped = waiting

    def read(self) -> tuple[LimitedStep, ...]:
        """The steps that were compared; their norms are waited for only now."""
        return tuple(LimitedStep(step=step, limit=limit, norm=float(norm)) for step, limit, norm in self._steps)

    def _note(self, norm: Any, limit: float, parameters: Sequence[Any]) -> None:
        """Takes a call; one that clips the same gradients again stands in its place."""
        if threading.get_ident() != self._thread or not math.isfinite(float(limit)):
            return
        names = frozenset(map(id, parameters))
        self._clipped = [(others, each) for others, each in self._clipped if not others & names]
        self._clipped.append((names, float(limit)))
