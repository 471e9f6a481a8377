"""The losses of an update of Stable-Baselines3: those of torch, and that of sb3-contrib."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from weaklink.adapters.torch.losses import Losses, noted, wrap_loss

QUANTILE = "quantile_huber_loss"
"""The loss of sb3-contrib, which its algorithms import by name."""


def watch_losses(model: Any, losses: Losses, undo: ExitStack) -> None:
    """Has every loss that the model uses told until `undo` is closed."""
    undo.enter_context(noted(losses))
    around = getattr(type(model).train, "__globals__", {})
    if QUANTILE not in around:
        return
    original = around[QUANTILE]
    told = wrap_loss(QUANTILE, original, losses.note)

    def put_back() -> None:
        if around.get(QUANTILE) is told:
            around[QUANTILE] = original

    around[QUANTILE] = told
    undo.callback(put_back)
