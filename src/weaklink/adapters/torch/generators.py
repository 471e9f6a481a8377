"""Random generators that come out as they went in, whatever is drawn in between."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch


@contextlib.contextmanager
def keep_draws(seed: int | None = None) -> Iterator[None]:
    """Every generator of the process comes out as it went in; with a seed, all draws inside follow from it."""
    kept = random.getstate(), np.random.get_state(), read_torch_states()  # noqa: NPY002
    if seed is not None:
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002
        seed_torch(seed)
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
        put_torch_states(kept[2])


def read_torch_states() -> dict[str, Any]:
    """The states of torch's generators, those of accelerators that are in use among them."""
    states: dict[str, Any] = {"cpu": torch.get_rng_state()}
    if _uses_cuda():
        states["cuda"] = torch.cuda.get_rng_state_all()
    if torch.backends.mps.is_available():
        states["mps"] = torch.mps.get_rng_state()
    return states


def put_torch_states(states: dict[str, Any]) -> None:
    """Puts torch's generators back."""
    torch.set_rng_state(states["cpu"])
    if "cuda" in states:
        torch.cuda.set_rng_state_all(states["cuda"])
    if "mps" in states:
        torch.mps.set_rng_state(states["mps"])


def same_states(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether torch's generators would draw the same from both."""
    return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)


def _equal(one: Any, other: Any) -> bool:
    if torch.is_tensor(one):
        return bool(torch.equal(one, other))
    return len(one) == len(other) and all(map(torch.equal, one, other))


def seed_torch(seed: int) -> None:
    """Seeds what `torch_states` keeps; `torch.manual_seed` would also seed devices that are started later."""
    torch.default_generator.manual_seed(seed)
    if _uses_cuda():
        torch.cuda.manual_seed_all(seed)
    if torch.backends.mps.is_available():
        torch.mps.manual_seed(seed)


def _uses_cuda() -> bool:
    return bool(torch.cuda.is_available() and torch.cuda.is_initialized())
