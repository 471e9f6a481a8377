"""What networks are given from outside: the numbers that lead to an output, whichever modules they went through."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from weaklink.adapters.torch.outputs import GivenInput, OutputRecord
from weaklink.adapters.torch.tensors import is_single, list_tensors, to_rows

MOST_COLUMNS = 1024
"""Columns of an input that are kept; of an image every so many-th is."""

MOST_BYTES = 128 * 2**20
"""Memory for the inputs of one update; those that come after that are not known."""


class GivenInputs:
    """The inputs of one update, and which tensors were made of them without a graph."""

    def __init__(self) -> None:
        self._origins: dict[int, tuple[Any, GivenInput]] = {}
        self._bytes = 0

    def note(self, module: nn.Module, given: Any, output: Any, records: Sequence[OutputRecord]) -> None:
        """Keeps what an outermost module was given, for all records inside of it."""
        tensors = [each for each in list_tensors(given) if each.ndim and each.numel()]
        if not tensors or not records:
            return
        single = is_single(given)
        origins = [self._find_origin(each) for each in tensors]
        earlier = [found for found in origins if found is not None]
        fresh = [each for each, found in zip(tensors, origins, strict=True) if found is None]
        if earlier and not earlier[0].is_beside([to_rows(each.detach(), single=single) for each in fresh]):
            found = earlier[0]
        else:
            found = self._keep(tensors, single, id(module))
        for record in records:
            record.given = found
        if not torch.is_grad_enabled():  # without a graph, the next module is known by being handed the same tensor
            self._origins.update({id(each): (weakref.ref(each), found) for each in list_tensors(output)})

    def forget(self) -> None:
        """Forgets which tensors were made of what."""
        self._origins.clear()

    def _keep(self, tensors: list[Any], single: bool, entrance: int) -> GivenInput:
        tables = [(each.requires_grad, to_rows(each.detach(), single=single)) for each in tensors]
        rows = max(len(table) for _, table in tables)
        data = [table for made, table in tables if len(table) == rows and not made]
        made = [table for made, table in tables if len(table) == rows and made]
        return GivenInput(self._join(data), self._join(made), entrance)

    def _find_origin(self, tensor: Any) -> GivenInput | None:
        """What led to a tensor that another module has put out, where that was without a graph."""
        for each in (tensor, tensor._base):
            refers, found = self._origins.get(id(each), (None, None))
            if each is not None and refers is not None and refers() is each:
                return found
        return None

    def _join(self, parts: list[Any]) -> Any:
        if not parts:
            return None
        thin = [part[:, :: -(-part.shape[1] // MOST_COLUMNS)] for part in parts]
        joined = thin[0].clone() if len(thin) == 1 else torch.cat([part.to(thin[0].dtype) for part in thin], 1)
        self._bytes += joined.numel() * joined.element_size()
        return joined if self._bytes < MOST_BYTES else None
