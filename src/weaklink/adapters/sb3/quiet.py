"""Policies of Stable-Baselines3 asked in the middle of a training that must not notice: draws, modes, statistics."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch


def random_state(device: Any = None) -> list[Any]:
    """The state of torch's generators that a network on this device draws from."""
    states = [torch.get_rng_state()]
    kind = getattr(device, "type", "cpu")
    if kind == "cuda":
        states.append(torch.cuda.get_rng_state(device))
    elif kind == "mps":
        states.append(torch.mps.get_rng_state())
    return states


def put_random_state(states: list[Any], device: Any = None) -> None:
    """Puts torch's generators back."""
    torch.set_rng_state(states[0])
    if len(states) > 1 and device.type == "cuda":
        torch.cuda.set_rng_state(states[1], device)
    elif len(states) > 1:
        torch.mps.set_rng_state(states[1])


@contextlib.contextmanager
def draws_kept(device: Any = None) -> Iterator[None]:
    """Every generator of the process comes out as it went in."""
    kept = random.getstate(), np.random.get_state(), random_state(device)  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(kept[0])
        np.random.set_state(kept[1])  # noqa: NPY002
        put_random_state(kept[2], device)


@contextlib.contextmanager
def statistics_kept(module: Any) -> Iterator[None]:
    """Running statistics of a module come out as they went in."""
    kept = [(buffer, buffer.detach().clone()) for buffer in module.buffers()]
    try:
        yield
    finally:
        with torch.no_grad():
            for buffer, before in kept:
                if not torch.equal(buffer, before):
                    buffer.copy_(before)


@contextlib.contextmanager
def quietly(policy: Any) -> Iterator[None]:
    """A policy in the mode that it collects in, without gradients; it and the process come out as they went in."""
    modes = [(module, module.training) for module in policy.modules()]
    with draws_kept(policy.device), statistics_kept(policy), torch.no_grad():
        policy.set_training_mode(False)
        try:
            yield
        finally:
            for module, training in modes:
                module.training = training


def is_torch(policy: Any) -> bool:
    """Whether a policy has weights of torch; those of sbx are modules without any."""
    return isinstance(policy, torch.nn.Module) and next(policy.parameters(), None) is not None
