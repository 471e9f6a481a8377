"""What recurrent layers are given as their memory, pass by pass: how large it is in each row, not what it holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import PackedSequence

from weaklink.adapters.torch.arrays import to_array
from weaklink.base.evidence.update import MemoryPass

MOST = 4096
"""Passes of an update that are kept; a cell in a loop makes one for each step of a sequence."""


class MemoryPasses:
    """The passes of one update."""

    def __init__(self) -> None:
        self._kept: list[tuple[nn.Module, int, int, int, Any]] = []

    def note(self, module: nn.Module, given: tuple[Any, ...], named: dict[str, Any], step: int, stamp: int) -> None:
        """Keeps a pass of a recurrent layer; of other modules nothing."""
        if not isinstance(module, nn.RNNBase | nn.RNNCellBase) or len(self._kept) >= MOST:
            return
        parts = [*given, *(named[name] for name in ("input", "hx") if name in named)]
        length, rows = _measure_input(module, parts[0])
        memory = parts[1] if len(parts) > 1 else None
        self._kept.append((module, step, stamp, length, _measure_memory(memory, rows)))

    def read(self, name: Callable[[nn.Module], str]) -> tuple[MemoryPass, ...]:
        """All that was kept, in the order of time."""
        return tuple(
            MemoryPass(name(module), step, stamp, length, to_array(sizes))
            for module, step, stamp, length, sizes in self._kept
        )


def _measure_input(module: nn.Module, taken: Any) -> tuple[int, int]:
    """How many steps of how many rows it takes in at once."""
    if isinstance(taken, PackedSequence):
        return len(taken.batch_sizes), int(taken.batch_sizes[0])
    if isinstance(module, nn.RNNCellBase):
        return 1, len(taken) if taken.ndim == 2 else 1
    if taken.ndim == 2:
        return len(taken), 1
    return (taken.shape[1], taken.shape[0]) if module.batch_first else (taken.shape[0], taken.shape[1])


def _measure_memory(memory: Any, rows: int) -> Any:
    """(rows,) the sum of the sizes of all numbers; of two parts of it, of both."""
    if memory is None:
        return torch.zeros(rows)
    parts = memory if isinstance(memory, tuple | list) else (memory,)
    return sum(each.detach().abs().reshape(-1, rows, each.shape[-1]).sum((0, 2)) for each in parts)
