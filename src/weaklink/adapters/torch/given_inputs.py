"""What networks are given from outside: the numbers that lead to an output, whichever modules they went through."""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from weaklink.adapters.torch.outputs import GivenInput, OutputRecord
from weaklink.adapters.torch.tensors import list_tensors, read_shape, to_rows

MOST_COLUMNS = 1024
"""Columns of an input that are kept; of an image every so many-th is."""

MOST_BYTES = 128 * 2**20
"""Memory for the inputs of one update; those that come after that are not known."""

RECENT, FEWEST_NUMBERS = 8, 8
"""Outputs that are kept to be known again behind an activation, and numbers that cannot be in one order by chance."""

BENT: tuple[Callable[[Any], Any], ...] = (functional.silu, functional.gelu)
"""Activations that do not keep the order of numbers."""


class GivenInputs:
    """The inputs of one update, and which tensors were made of them without a graph."""

    def __init__(self) -> None:
        self._origins: dict[int, tuple[Any, GivenInput, int]] = {}
        self._recent: deque[tuple[Any, GivenInput]] = deque(maxlen=RECENT)
        self._bytes = 0

    def note(self, module: nn.Module, given: Any, output: Any, records: Sequence[OutputRecord]) -> None:
        """Keeps what an outermost module was given, for all records inside of it."""
        outside = _leave_memory_out(module, given)
        tensors = [each for each in list_tensors(outside) if each.ndim and each.numel()]
        if not tensors or not records:
            return
        single, rows = read_shape(given).single, _count_answers(output)
        origins = [self._find_origin(each, id(module)) for each in tensors]
        if len(tensors) == 1 and origins[0] is None:  # beside others, such as a memory, it would not be all
            origins = [self._find_activated(tensors[0])]
        earlier = [found for found in origins if found is not None]
        fresh = [each for each, found in zip(tensors, origins, strict=True) if found is None]
        if earlier and not earlier[0].is_beside([to_rows(each.detach(), single=single, rows=rows) for each in fresh]):
            found = earlier[0]
        else:
            found = self._keep(tensors, single, rows, id(module))
        for record in records:
            record.given = found
        if not torch.is_grad_enabled():  # without a graph, the next module is known by being handed the same tensor
            outputs = list_tensors(output)
            handed = [each for each, origin in zip(tensors, origins, strict=True) if origin is not None]
            self._origins.update({id(each): (weakref.ref(each), found, self._name_maker(each)) for each in handed})
            self._origins.update({id(each): (weakref.ref(each), found, id(module)) for each in outputs})
            self._recent.extend((each, found) for each in outputs)

    def forget(self) -> None:
        """Forgets which tensors were made of what."""
        self._origins.clear()
        self._recent.clear()

    def _keep(self, tensors: list[Any], single: bool, rows: int, entrance: int) -> GivenInput:
        tables = [(each.requires_grad, to_rows(each.detach(), single=single, rows=rows)) for each in tensors]
        most = max(len(table) for _, table in tables)
        data = [table for made, table in tables if len(table) == most and not made]
        made = [table for made, table in tables if len(table) == most and made]
        return GivenInput(self._join(data), self._join(made), entrance)

    def _find_origin(self, tensor: Any, module: int) -> GivenInput | None:
        """What led to a tensor that another module has put out, where that was without a graph.

        What a module has put out itself is its memory, which was made of earlier inputs.
        """
        for each in (tensor, tensor._base):
            refers, found, maker = self._origins.get(id(each), (None, None, 0))
            if each is not None and refers is not None and refers() is each:
                return None if maker == module else found
        return None

    def _name_maker(self, tensor: Any) -> int:
        return self._origins[id(tensor)][2] if id(tensor) in self._origins else 0

    def _find_activated(self, tensor: Any) -> GivenInput | None:
        """What led to a tensor that an activation makes of what another module has put out, without a graph."""
        if torch.is_grad_enabled() or tensor.numel() < FEWEST_NUMBERS:
            return None
        return next((found for output, found in reversed(self._recent) if _is_activated(output, tensor)), None)

    def _join(self, parts: list[Any]) -> Any:
        if not parts:
            return None
        thin = [part[:, :: -(-part.shape[1] // MOST_COLUMNS)] for part in parts]
        joined = thin[0].clone() if len(thin) == 1 else torch.cat([part.to(thin[0].dtype) for part in thin], 1)
        self._bytes += joined.numel() * joined.element_size()
        return joined if self._bytes < MOST_BYTES else None


def _count_answers(output: Any) -> int:
    """How many rows a module was asked about, where it gives one answer a row: images of one channel have three axes,
    as sequences have. 0 where it may give one for each place of a sequence."""
    outputs = list_tensors(output)
    return len(outputs[0]) if outputs and all(each.ndim in (1, 2) for each in outputs) else 0


def _leave_memory_out(module: nn.Module, given: Any) -> Any:
    """What a call was given from outside: a recurrent layer is handed its memory behind its input.

    Without a graph it stays: whether a memory is carried on at all shows in what is asked while acting.
    """
    positional, named = given
    if torch.is_grad_enabled() and isinstance(module, nn.RNNBase | nn.RNNCellBase) and positional:
        return positional[:1]
    return positional, named


def _is_activated(output: Any, tensor: Any) -> bool:
    """Whether a tensor is what an activation makes of an output: number by number, the larger from the larger."""
    if output.shape != tensor.shape or output.dtype != tensor.dtype or not output.is_floating_point():
        return False
    ordered = tensor.flatten()[output.flatten().argsort()]
    if bool((ordered.diff() >= 0.0).all()):
        return bool(ordered[0] < ordered[-1])
    return any(bool(torch.equal(activate(output), tensor)) for activate in BENT)
