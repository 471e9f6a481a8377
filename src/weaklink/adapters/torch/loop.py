"""For loops written by hand in torch: their tensors as arrays, and their policies asked without being disturbed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch import nn

from weaklink.adapters.torch.generators import keep_draws
from weaklink.adapters.torch.own_work import mark_own_work
from weaklink.base.evidence.rollout import Array

MOST_ROWS = 2048
"""Rows that a policy is asked about at most."""

Asked = tuple[Array, Array | None, Array | None]
"""Log-probabilities, entropies and values, a number a row."""


def to_arrays(thing: Any) -> Any:
    """Tensors as numpy arrays, wherever they lie within mappings (a TensorDict among them), lists and tuples.

    Tensors on the processor share their memory with the array; others are copied. A list of numbers, or of tensors of
    one shape, becomes one array.
    """
    if torch.is_tensor(thing):
        return to_array(thing)
    if isinstance(thing, Mapping) or hasattr(thing, "batch_size"):
        return {key: to_arrays(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)) and any(torch.is_tensor(each) for each in thing):
        parts = [to_arrays(each) for each in thing]
        alike = all(getattr(part, "shape", None) == getattr(parts[0], "shape", None) for part in parts)
        return np.stack(parts) if alike and hasattr(parts[0], "shape") else parts
    return thing if isinstance(thing, np.ndarray) or thing is None else np.asarray(thing)


def to_array(tensor: Any) -> Array:
    """One tensor as an array; half precision becomes single."""
    held = tensor.detach()
    if held.dtype in (torch.bfloat16, torch.float16):
        held = held.float()
    return np.asarray(held.cpu().numpy())


def chosen(count: int, most: int = MOST_ROWS) -> slice:
    """Which of so many rows are asked about: every so many-th, the same each time."""
    return slice(None, None, max(-(-count // most), 1))


def log_probs(
    policy: Any, observations: Any, actions: Any, most: int = MOST_ROWS, *, modules: Iterable[Any] = ()
) -> Asked:
    """What a policy says of actions as it is now.

    Args:
        policy: has `get_action_and_value` as in CleanRL or `evaluate_actions` as in Stable-Baselines3, or is a function
            of observations and actions that returns log-probabilities, alone or followed by entropies and values.
        observations: a row each, an array, a tensor or a mapping of them.
        actions: a row each.
        most: where there are more rows, `chosen` says which of them are asked about.
        modules: that a function calls; those of a bound method or of a module are known.

    Returns:
        Log-probabilities, entropies and values of the chosen rows; None for what the policy does not say. Weights,
        modes, buffers and random generators are as before.
    """
    rows = chosen(len(actions), most)
    module = module_of(policy)
    seen, taken = (_to_tensors(each, rows, module) for each in (observations, actions))
    with leave_undisturbed(*modules, *([module] if module is not None else [])):
        found = _ask_policy(policy, seen, taken)
    return tuple(_to_numbers(part) for part in found)  # type: ignore[return-value]


def module_of(thing: Any) -> Any:
    """The torch module behind a policy: itself, or that of a bound method."""
    owner = thing if isinstance(thing, nn.Module) else getattr(thing, "__self__", None)
    return owner if isinstance(owner, nn.Module) else None


def _ask_policy(policy: Any, seen: Any, taken: Any) -> tuple[Any, Any, Any]:
    if hasattr(policy, "get_action_and_value"):
        _, found, entropy, values = policy.get_action_and_value(seen, taken)
        return found, entropy, values
    if hasattr(policy, "evaluate_actions"):
        values, found, entropy = policy.evaluate_actions(seen, taken)
        return found, entropy, values
    told = policy(seen, taken)
    parts = (*told, None, None) if isinstance(told, tuple) else (told, None, None)
    return parts[0], parts[1], parts[2]


def _to_numbers(part: Any) -> Array | None:
    return None if part is None else to_array(torch.as_tensor(part)).astype(np.float64).reshape(-1)


def _to_tensors(thing: Any, rows: slice, module: Any) -> Any:
    if isinstance(thing, Mapping) and not torch.is_tensor(thing):
        return {key: _to_tensors(value, rows, module) for key, value in thing.items()}
    first = next(iter(module.parameters()), None) if module is not None else None
    device = first.device if first is not None else thing.device if torch.is_tensor(thing) else "cpu"
    if torch.is_tensor(thing):
        return thing.detach()[rows].to(device)
    values = np.ascontiguousarray(np.asarray(thing)[rows])
    if values.dtype == np.float64:
        values = values.astype(np.float32)
    return torch.from_numpy(values.copy()).to(device)


@contextlib.contextmanager
def leave_undisturbed(*modules: Any) -> Iterator[None]:
    """Without gradients, in the modes that the modules are in; their buffers and all random generators are put back."""
    buffers = [(each, each.detach().clone()) for module in modules for each in module.buffers()]
    with keep_draws():
        try:
            with mark_own_work(), torch.no_grad():
                yield
        finally:
            for buffer, before in buffers:  # batch normalisation writes uncounted; `data` does not count either
                buffer.data.copy_(before)
