"""What optimizers are about to move heads with, heads that a loss asks something of and none moves, and heads that they
hold and no loss asks anything of."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from weaklink.adapters.torch.arrays import to_array
from weaklink.adapters.torch.living import list_living
from weaklink.adapters.torch.outputs import MovedRecords, OutputRecord, sum_by_bias
from weaklink.adapters.torch.passes import read_call
from weaklink.base.evidence.update import HeadCall, HeadStep

NEVER_WRITTEN, FAR_APART = 3, 32
"""Captured updates in which a head must be asked for something and stay as it was, and optimizer steps between the
first and the last of them, from which on its own optimizer is none that merely steps less often."""

MOST_LEFT = 4
"""Optimizer steps in which passes are kept of heads that no optimizer may ever move."""


@dataclass
class UnwrittenHead:
    """A head that losses ask something of while nobody writes to its weights.

    Attributes:
        changes: how often its weights were written to when it was first noted.
        began: steps of all optimizers at the beginning of the first update that was captured since.
        latest: the same of the latest update.
        taken: steps of all optimizers by then.
        updates: in how many captured updates something was asked of it.
    """

    module: weakref.ref[nn.Module]
    changes: int
    began: int
    latest: int = -1
    taken: int = 0
    updates: int = 0


class SteppedHeads:
    """The heads of one captured update; which weights some optimizer holds is known from all updates so far."""

    def __init__(self) -> None:
        self._optimised: set[int] = set()
        self._unwritten: dict[int, UnwrittenHead] = {}
        self.clear()

    def clear(self) -> None:
        """Forgets the update."""
        self._held: list[tuple[nn.Module, int, Any, Any]] = []
        self._left: list[tuple[int, OutputRecord, int]] = []
        self._silent: list[OutputRecord] = []

    def note(self, everything: dict[int, Any], records: Sequence[OutputRecord], step: int, *, compares: bool) -> None:
        """Keeps what each head of an optimizer is about to be moved with, beside what was asked of it.

        Args:
            everything: the weights that the optimizer holds, by identity.
            records: all outputs.
            step: of the update.
            compares: whether the gradients that are there are those of the losses alone.
        """
        self._optimised.update(everything)
        moved = MovedRecords(everything)
        if step < MOST_LEFT:
            fresh = [each for each in records if each.step == step and each.gradient is None and moved.is_head(each)]
            self._silent += [each for each in fresh if _has_no_gradient(each.module)]
        if compares:
            asked = [each for each in records if each.gradient is not None and moved.is_head(each)]
            self._held += [(module, step, total, held) for module, total, held in sum_by_bias(asked)]

    def note_left(self, left: Sequence[OutputRecord], step: int, taken: int) -> None:
        """Keeps passes of heads that this optimizer leaves alone, after so many steps of all optimizers."""
        early = step < MOST_LEFT
        for record in left:
            if early or record.step == step:  # a pass of this very step may have made the targets of its loss
                self._left.append((step, record, _count_changes(record.module)))
            if early:
                self._note_unwritten(record.module, taken - step, taken)

    def _note_unwritten(self, module: nn.Module, began: int, taken: int) -> None:
        """Counts one more update that asks something of a head, from the last time on that it was written to."""
        known, changes = self._unwritten.get(id(module)), _count_changes(module)
        if known is None or known.module() is not module or known.changes != changes:
            known = self._unwritten[id(module)] = UnwrittenHead(weakref.ref(module), changes, began)
        known.updates += known.latest != began
        known.latest, known.taken = began, taken

    def list_silent(self, heads: Container[int]) -> list[OutputRecord]:
        """Passes in the graph of heads that optimizers hold, and of which no loss of the update asked anything."""
        return [each for each in self._silent if each.gradient is None and id(each.module) not in heads]

    def read_steps(self, name: Callable[[nn.Module], str]) -> tuple[HeadStep, ...]:
        """What heads were moved with."""
        return tuple(
            HeadStep(name(module), step, to_array(asked), to_array(held)) for module, step, asked, held in self._held
        )

    def read_unmoved(self, name: Callable[[nn.Module], str]) -> tuple[HeadCall, ...]:
        """Passes of heads that nobody wrote to since: no optimizer holds them, or the one that does never steps."""
        left = [
            (step, record)
            for step, record, version in self._left
            if version == _count_changes(record.module) and (not self._holds(record) or self._stays(record.module))
        ]
        if left:
            for optimizer in list_living(torch.optim.Optimizer):
                self._optimised.update(id(each) for group in optimizer.param_groups for each in group["params"])
        kept = [each for each in left if not self._holds(each[1]) or self._stays(each[1].module)]
        return tuple(read_call(record, step, name(record.module)) for step, record in kept)

    def _stays(self, module: nn.Module) -> bool:
        """Whether the optimizer that holds a head has not moved it in any of several updates far apart."""
        known = self._unwritten.get(id(module))
        if known is None or known.module() is not module or known.changes != _count_changes(module):
            return False
        return known.updates >= NEVER_WRITTEN and known.taken - known.began >= FAR_APART

    def _holds(self, record: OutputRecord) -> bool:
        return any(id(each) in self._optimised for each in record.module.parameters())


def _count_changes(module: nn.Module) -> int:
    """How often the weights of a module were written to."""
    return sum(each._version for each in module.parameters())


def _has_no_gradient(module: nn.Module) -> bool:
    """Whether a layer could be moved and no backward has reached it."""
    return all(each.requires_grad and each.grad is None for each in module.parameters())
