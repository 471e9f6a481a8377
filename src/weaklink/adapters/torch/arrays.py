"""Arrays as torch tensors and back; torch is loaded only where the code that is checked has loaded it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray


def in_use() -> bool:
    """Whether torch is loaded; code that did not load it cannot ask for its tensors."""
    return "torch" in sys.modules


def is_tensor(thing: Any) -> bool:
    """Whether this is a torch tensor, found out without loading torch."""
    return in_use() and isinstance(thing, sys.modules["torch"].Tensor)


def to_tensor(array: NDArray[Any] | float, double: bool) -> Any:
    """A tensor of its own memory: single or double precision, flags as flags, whole numbers as whole numbers."""
    import torch

    values = np.array(array)
    made = torch.from_numpy(values.copy()) if values.ndim else torch.tensor(values.item())
    return made.to(torch.float64 if double else torch.float32) if values.dtype.kind == "f" else made


def to_array(thing: Any) -> NDArray[Any]:
    """The numbers of a tensor; half precision that numpy lacks becomes its half precision."""
    import torch

    plain = thing.detach().cpu()
    if plain.dtype == torch.bfloat16:
        plain = plain.to(torch.float16)
    return np.asarray(plain.numpy())


def seed_generator(seed: int) -> Any:
    """Seeds torch's generator of the processor and hands its former state back."""
    import torch

    state = torch.get_rng_state()
    torch.default_generator.manual_seed(seed)  # torch.manual_seed also walks the stack, for devices to come
    return state


def restore_generator(state: Any) -> None:
    """Puts torch's generator back."""
    import torch

    torch.set_rng_state(state)
