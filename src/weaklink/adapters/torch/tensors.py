"""The tensors that modules take in and put out, as rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch


class RowShape(NamedTuple):
    """How a module was called: with a single row without an axis for rows, and with how many rows otherwise.

    That is 0 where it was called with sequences or images.
    """

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


def read_shape(given: Any) -> RowShape:
    """How a module was called with these arguments."""
    tensors = list_tensors(given)
    axes = {each.ndim for each in tensors}
    return RowShape(all(each < 2 for each in axes), len(tensors[0]) if axes == {2} else 0)


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
