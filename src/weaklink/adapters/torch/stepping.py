"""Steps of any optimizer of the process, told as they are made, before anybody watches them closer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.optim import optimizer as torch_optimizer


def listen(tell: Callable[[], object]) -> None:
    """Tells of each optimizer step of the process once it is made."""

    def stepped(*_: Any) -> None:
        if not torch.compiler.is_compiling():
            tell()

    torch_optimizer.register_optimizer_step_post_hook(stepped)
