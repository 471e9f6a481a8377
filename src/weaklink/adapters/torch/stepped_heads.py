"""What optimizers are about to move heads with, heads that a loss asks something of and none moves, and heads that they
hold and no loss asks anything of."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from torch import nn

from weaklink.adapters.torch.arrays import to_array
from weaklink.adapters.torch.outputs import MovedRecords, OutputRecord, read_call, sum_by_bias
from weaklink.adapters.torch.stepping import list_optimizers
from weaklink.base.evidence.update import HeadCall, HeadStep

MOST_LEFT = 4
"""Optimizer steps in which passes are kept of heads that no optimizer may ever move."""


class SteppedHeads:
    """The heads of one captured update; which weights some optimizer holds is known from all updates so far."""

    def __init__(self) -> None:
        self._optimised: set[int] = set()
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

    def note_left(self, left: Sequence[OutputRecord], step: int) -> None:
        """Keeps passes of heads that this optimizer leaves alone."""
        if step < MOST_LEFT:
            self._left += [(step, record, _count_changes(record.module)) for record in left]

    def list_silent(self, heads: Container[int]) -> list[OutputRecord]:
        """Passes in the graph of heads that optimizers hold, and of which no loss of the update asked anything."""
        return [each for each in self._silent if each.gradient is None and id(each.module) not in heads]

    def read_steps(self, name: Callable[[nn.Module], str]) -> tuple[HeadStep, ...]:
        """What heads were moved with."""
        return tuple(
            HeadStep(name(module), step, to_array(asked), to_array(held)) for module, step, asked, held in self._held
        )

    def read_unmoved(self, name: Callable[[nn.Module], str]) -> tuple[HeadCall, ...]:
        """Passes of heads that no optimizer holds, whether it has stepped or not, and that nobody wrote to since."""
        left = [
            (step, record)
            for step, record, version in self._left
            if version == _count_changes(record.module) and not self._holds(record)
        ]
        if left:
            for optimizer in list_optimizers():
                self._optimised.update(id(each) for group in optimizer.param_groups for each in group["params"])
        return tuple(read_call(record, step, name(record.module)) for step, record in left if not self._holds(record))

    def _holds(self, record: OutputRecord) -> bool:
        return any(id(each) in self._optimised for each in record.module.parameters())


def _count_changes(module: nn.Module) -> int:
    """How often the weights of a module were written to."""
    return sum(each._version for each in module.parameters())


def _has_no_gradient(module: nn.Module) -> bool:
    """Whether a layer could be moved and no backward has reached it."""
    return all(each.requires_grad and each.grad is None for each in module.parameters())
