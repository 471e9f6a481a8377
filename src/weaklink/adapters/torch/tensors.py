"""The tensors that modules take in and put out, as rows."""

from __future__ import annotations

from typing import Any

import torch


def list_tensors(things: Any) -> list[Any]:
    """The tensors in arguments or outputs, wherever they lie within lists, tuples and mappings."""
    if isinstance(things, torch.Tensor):
        return [things]
    if isinstance(things, dict):
        return [each for part in things.values() for each in list_tensors(part)]
    if isinstance(things, list | tuple):
        return [each for part in things for each in list_tensors(part)]
    return []


def is_single(given: Any) -> bool:
    """Whether a module was called with one row without an axis for rows."""
    return all(each.ndim < 2 for each in list_tensors(given))


def to_rows(tensor: Any, *, single: bool = False) -> Any:
    """A tensor as (rows, columns): one number a row where it has one axis; images keep their first axis alone."""
    if tensor.ndim < 2:
        return tensor.reshape(1, -1) if single else tensor.reshape(-1, 1)
    if tensor.ndim == 3:
        return tensor.reshape(-1, tensor.shape[-1])
    return tensor.reshape(len(tensor), -1)
