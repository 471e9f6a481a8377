"""The moment at which a backward pass begins, told at the cost of one more call."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

NAME = "backward"


def listen(tell: Callable[[], None]) -> Callable[[], None]:
    """Tells of every backward pass from now on, before it begins; a function that ends it.

    `Tensor.backward` looks `torch.autograd.backward` up at each call, so that this one place hears both.
    """
    original = getattr(torch.autograd, NAME)

    @functools.wraps(original)
    def backward(*given: Any, **named: Any) -> Any:
        tell()
        return original(*given, **named)

    setattr(torch.autograd, NAME, backward)

    def end() -> None:
        if getattr(torch.autograd, NAME) is backward:  # whoever has wrapped it since keeps what they wrapped
            setattr(torch.autograd, NAME, original)

    return end
