"""Policies of Stable-Baselines3 asked in the middle of a training that must not notice: draws, modes, statistics."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from weaklink.adapters.torch.generators import keep_draws


@contextlib.contextmanager
def keep_statistics(module: Any) -> Iterator[None]:
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
def use_quietly(policy: Any) -> Iterator[None]:
    """A policy in the mode that it collects in, without gradients; it and the process come out as they went in."""
    modes = [(module, module.training) for module in policy.modules()]
    with keep_draws(), keep_statistics(policy), torch.no_grad():
        policy.set_training_mode(False)
        try:
            yield
        finally:
            for module, training in modes:
                module.training = training


def is_torch(policy: Any) -> bool:
    """Whether a policy has weights of torch; those of sbx are modules without any."""
    return isinstance(policy, torch.nn.Module) and next(policy.parameters(), None) is not None
