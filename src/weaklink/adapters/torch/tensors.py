"""The tensors that modules take in and put out, as rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch


class RowShape(NamedTuple):
    """How a module was called: with a single row without an axis for rows, and with how many rows otherwise."""

    single: bool
    rows: int


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


def count_rows(given: Any) -> int:
    """How many rows a module was called with, 0 where it was called with sequences or images."""
    tensors = list_tensors(given)
    return len(tensors[0]) if tensors and all(each.ndim == 2 for each in tensors) else 0


def to_rows(tensor: Any, *, single: bool = False, rows: int = 0) -> Any:
    """A tensor as (rows, columns): one number a row where it has one axis; images keep their first axis alone.

    Of three axes the first two are rows, as of a sequence, unless a module made them of so many `rows`.
    """
    if rows and len(tensor) == rows:
        return tensor.reshape(rows, -1)
    if tensor.ndim < 2:
        return tensor.reshape(1, -1) if single else tensor.reshape(-1, 1)
    if tensor.ndim == 3:
        return tensor.reshape(-1, tensor.shape[-1])
    return tensor.reshape(len(tensor), -1)
