"""A bounded number of elements out of many tensors, always the same ones, without a draw."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

MOST = 1_000_000


def sample_elements(tensors: Iterable[Any], most: int = MOST) -> Any:
    """Every so many-th element of some tensors, as a new flat tensor in single precision.

    Args:
        tensors: dense ones of the first one's device; others are left out.
        most: about how many elements; all of them where there are no more.

    Returns:
        The elements, or None where there are none.
    """
    chosen = [take_local(tensor) for tensor in tensors if not tensor.is_sparse and tensor.is_floating_point()]
    if not chosen:
        return None
    device = chosen[0].device
    chosen = [tensor for tensor in chosen if tensor.device == device]
    stride = -(-sum(tensor.numel() for tensor in chosen) // most) or 1
    with torch.no_grad():
        flat = [tensor.reshape(-1) for tensor in chosen]
        if stride > 1:
            flat = [tensor[::stride] for tensor in flat]
        if any(tensor.dtype != torch.float32 for tensor in flat):
            flat = [tensor.to(torch.float32) for tensor in flat]
        return torch.cat(flat)


def take_local(tensor: Any) -> Any:
    """The part of a tensor that lies in this process: anything else would make all processes talk to each other."""
    held = tensor.detach()
    return held.to_local() if type(held) is not torch.Tensor and hasattr(held, "to_local") else held


def whole(tensors: Iterable[Any]) -> bool:
    """Whether no tensor is spread over several processes."""
    return all(type(tensor) is torch.Tensor or not hasattr(tensor, "to_local") for tensor in tensors)


def compute_total_norm(tensors: list[Any]) -> Any:
    """The norm of all tensors of the first one's device together, as a tensor of one number."""
    dense = [tensor.detach() for tensor in tensors if not tensor.is_sparse]
    dense = [tensor for tensor in dense if tensor.device == dense[0].device]
    with torch.no_grad():
        return torch.linalg.vector_norm(torch.stack([norm.float() for norm in torch._foreach_norm(dense)]))
