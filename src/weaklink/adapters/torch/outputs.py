"""Outputs of modules in autograd's graph: what each was made of, what took it in, and which of them are heads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import torch
from torch import nn

from weaklink.base.evidence.rollout import LossCall
from weaklink.base.evidence.update import (
    FreeParameter,
    HeadAnswer,
    HeadCall,
    HeadStep,
    LayerTrace,
    LimitedStep,
    MemoryPass,
)


@dataclass(slots=True, eq=False)
class OutputRecord:
    """One tensor that came out of a module, with what came before and after it in autograd's graph.

    Attributes:
        node: of autograd, None without gradients.
        within: the record inside this module that its output is made of alone.
        given: what the outermost module around it was given, filled in when that has returned.
        outermost: whether no other module called its own.
        climbed: whether its gradient went on to a head that an optimizer moves, as that of a critic to an actor.
        order: of all outputs of the process.
    """

    module: nn.Module
    node: Any
    outputs: Any
    stamp: int
    step: int
    within: OutputRecord | None = None
    producers: list[OutputRecord] = field(default_factory=list)
    consumers: list[OutputRecord] = field(default_factory=list)
    given: GivenInput | None = None
    gradient: Any = None
    outermost: bool = False
    climbed: bool = False
    order: int = field(default_factory=count().__next__)


@dataclass(slots=True, eq=False)
class GivenInput:
    """What a module was called with from outside: numbers, or the outputs of other modules.

    Attributes:
        data: (n, columns) the numbers; None where all was the output of other modules.
        made: (n, columns) what other modules put out beside them, such as an action that an actor chose.
        entrance: the module, by its identity in the process.
    """

    data: Any
    made: Any = None
    entrance: int = 0

    def is_beside(self, rows: list[Any]) -> bool:
        """Whether the numbers are handed on beside what was made of them, as to a critic of a new action; by mistake
        these may be other numbers of the same kind."""
        return self.data is not None and any(each.shape == self.data.shape for each in rows)


@dataclass(frozen=True, slots=True, eq=False)
class CapturedUpdate:
    """What was captured, before its rows are found on a tape."""

    calls: tuple[HeadCall, ...]
    answers: tuple[HeadAnswer, ...]
    parameters: tuple[FreeParameter, ...]
    losses: tuple[LossCall, ...] | None
    steps: int
    left_out: tuple[str, ...]
    layers: tuple[LayerTrace, ...] = ()
    head_steps: tuple[HeadStep, ...] = ()
    unmoved: tuple[HeadCall, ...] = ()
    unasked: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    limited: tuple[LimitedStep, ...] = ()
    settings: Mapping[str, float] = field(default_factory=dict)
    draws: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    memories: tuple[MemoryPass, ...] = ()


class MovedRecords:
    """Which outputs come from weights that one optimizer moves."""

    def __init__(self, held: dict[int, Any]) -> None:
        self._held = held
        self._modules: dict[int, bool] = {}

    def moves(self, record: OutputRecord) -> bool:
        """Whether the optimizer holds a weight of the module itself."""
        place = id(record.module)
        if place not in self._modules:
            self._modules[place] = any(id(each) in self._held for each in record.module.parameters())
        return self._modules[place]

    def is_climbed(self, record: OutputRecord) -> bool:
        """Whether it is the last layer of a network that the optimizer leaves alone, as a critic in an actor's loss."""
        if record.gradient is None or record.outputs is None or self.moves(record):
            return False
        return has_weights(record.module) and not any(has_weights(each.module) for each in list_behind(record))

    def is_left_out(self, record: OutputRecord) -> bool:
        """Whether a loss asks something of the last layer of a network whose trainable weights the optimizer leaves.

        The network may be the last of all, or hand its output to one that the optimizer moves, and to itself as its
        memory.
        """
        if record.gradient is None or record.outputs is None or self.moves(record) or not has_weights(record.module):
            return False
        trainable = all(each.requires_grad for each in record.module.parameters())
        return trainable and all(self.moves(each) for each in list_next(record) if each.module is not record.module)

    def is_head(self, record: OutputRecord) -> bool:
        """Whether nothing that is moved with it takes its output in, directly or through layers without weights."""
        if record.outputs is None or not self.moves(record):
            return False
        return not any(map(self.moves, list_next(record)))


class GradientHook:
    """Keeps the gradient that arrives at an output; several calls of backward add up."""

    def __init__(self, record: OutputRecord) -> None:
        self._record = record

    def __call__(self, gradient: Any) -> None:
        with suppress(Exception), torch.no_grad():
            record = self._record
            rows = gradient.detach().reshape(record.outputs.shape)
            record.gradient = rows.clone() if record.gradient is None else record.gradient + rows


def is_inside(inner: nn.Module, outer: nn.Module) -> bool:
    """Whether one module is a part of the other."""
    return inner is not outer and any(each is inner for each in outer.modules())


def is_unlearned(record: OutputRecord) -> bool:
    """Whether an output is the last of its network and no loss asked anything of it."""
    return record.outputs is not None and not record.consumers and record.gradient is None


def list_behind(head: OutputRecord) -> Iterator[OutputRecord]:
    """Everything that took in the output of a head: its gradient went through there and asks nothing of it."""
    waiting, seen = list(head.consumers), set[int]()
    while waiting:
        record = waiting.pop()
        if id(record) not in seen:
            seen.add(id(record))
            yield record
            waiting.extend(record.consumers)


def list_next(record: OutputRecord) -> Iterator[OutputRecord]:
    """The layers with weights that take an output in, directly or through layers without any."""
    waiting, seen = list(record.consumers), set[int]()
    while waiting:
        consumer = waiting.pop()
        if id(consumer) in seen:
            continue
        seen.add(id(consumer))
        if has_weights(consumer.module):
            yield consumer
        else:
            waiting.extend(consumer.consumers)


def has_weights(module: nn.Module) -> bool:
    """Whether a module has any parameter; `parameters` would name them all, and this is asked at every pass."""
    if any(each is not None for each in module._parameters.values()):
        return True
    return any(each is not None and has_weights(each) for each in module._modules.values())


def sum_by_bias(heads: Sequence[OutputRecord]) -> Iterator[tuple[nn.Module, Any, Any]]:
    """Linear heads with a bias: what was asked of their outputs, over all rows and passes, and the bias's gradient."""
    asked: dict[int, Any] = {}
    modules = {id(each.module): each.module for each in heads if isinstance(each.module, nn.Linear)}
    for record in heads:
        total = record.gradient.sum(dim=0)
        asked[id(record.module)] = asked[id(record.module)] + total if id(record.module) in asked else total
    for place, module in modules.items():
        if module.bias is not None and module.bias.shape == asked[place].shape:
            held = torch.zeros_like(module.bias) if module.bias.grad is None else module.bias.grad
            yield module, asked[place], held.detach().clone()
