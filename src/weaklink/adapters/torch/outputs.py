"""Outputs of modules in autograd's graph: what each was made of, what took it in, and which of them are heads."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np
import torch
from torch import nn

from weaklink.adapters.torch.arrays import to_array
from weaklink.base.evidence.rollout import Array, LossCall
from weaklink.base.evidence.update import (
    COLLECTING,
    LEARNING,
    UNMATCHED,
    FreeParameter,
    HeadAnswer,
    HeadCall,
    HeadStep,
    LayerTrace,
    LimitedStep,
    MemoryPass,
)

WHOLE = (torch.int64, torch.int32)
"""The types that tokens come in."""


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


def read_given(record: OutputRecord, rows: int) -> Array:
    """The numbers that led to an output."""
    branches = _list_branches(record, rows)
    if branches:
        return np.concatenate(branches, axis=1) if len(branches) > 1 else branches[0]
    joined = _join_given(record, rows)
    return np.zeros((rows, 0)) if joined is None else joined


def _list_branches(record: OutputRecord, rows: int) -> list[Array]:
    """What led to an output by each of its branches, such as observation and action, in the order of their calls.

    Of a network that is unrolled over time each module counts once, with its last call; numbers that several modules
    were given count once as well.
    """
    found: dict[int, tuple[int, GivenInput]] = {}
    for each in _list_before(record):
        if each.given is not None and each.given.data is not None and len(each.given.data) == rows:
            found.setdefault(each.given.entrance, (each.order, each.given))
    parts: list[Array] = []
    for _, given in sorted(found.values(), key=lambda pair: pair[0]):
        numbers = to_array(given.data)
        if not any(np.array_equal(numbers, other) for other in parts):
            parts.append(numbers)
    return parts


def _find_given(record: OutputRecord, rows: int) -> GivenInput | None:
    """What led to an output: what its own call was given, or the first call that it depends on."""
    known = (each.given for each in _list_before(record) if each.given is not None and each.given.data is not None)
    return next((given for given in known if len(given.data) == rows), None)


def _join_given(record: OutputRecord, rows: int) -> Array | None:
    """What led to an output that is stacked of passes one after the other, as over a sequence; None where none fit."""
    parts: dict[tuple[int, Any], list[OutputRecord]] = {}
    for each in _list_before(record):
        if each.given is not None and each.given.data is not None:
            parts.setdefault((each.given.entrance, each.given.data.shape), []).append(each)
    for (_, shape), passes in parts.items():
        given = {id(each.given): each.given.data for each in sorted(passes, key=lambda each: each.order) if each.given}
        if len(given) * shape[0] == rows:
            return np.concatenate([to_array(data) for data in given.values()])
    return None


def _list_before(record: OutputRecord) -> Iterator[OutputRecord]:
    """An output and all that it was made of, the nearest first."""
    waiting, seen = deque([record]), set[int]()
    while waiting:
        each = waiting.popleft()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting.extend(each.producers)


def _name_entrance(record: OutputRecord, rows: int) -> int:
    given = _find_given(record, rows)
    return 0 if given is None else given.entrance


def read_call(record: OutputRecord, step: int, head: str) -> HeadCall:
    """A pass that a loss asked something of, whose rows are not known yet."""
    outputs = to_array(record.outputs)
    return HeadCall(
        head=head,
        step=step,
        inputs=read_given(record, len(outputs)),
        outputs=outputs,
        gradients=to_array(record.gradient),
        rows=np.full(len(outputs), UNMATCHED),
        stamp=record.stamp,
        made=_read_made(record, len(outputs)),
        passed=record.step,
        climbed=record.climbed,
        entrance=_name_entrance(record, len(outputs)),
        door=0 if record.given is None else record.given.entrance,
        tokens=_read_tokens(record, len(outputs)),
    )


def _read_tokens(record: OutputRecord, rows: int) -> Array | None:
    """The sequences of whole numbers whose places are the rows of an output; None where it was made of none."""
    known = (each.given.data for each in _list_before(record) if each.given is not None)
    data = next((each for each in known if each is not None), None)
    if data is None or data.dtype not in WHOLE or not len(data) < rows == data.numel():
        return None
    return to_array(data)


def _read_made(record: OutputRecord, rows: int) -> Array | None:
    """What other modules made of the input; where it came in one piece with the numbers, the rest of that piece."""
    given = record.given
    if given is None or given.made is None or len(given.made) != rows:
        return None
    made = to_array(given.made)
    return made if given.data is not None else _cut_off(made, read_given(record, rows))


def _cut_off(whole: Array, part: Array) -> Array | None:
    """What is left of columns of which the first or the last are these; None where they are not."""
    width = part.shape[1]
    if not 0 < width < whole.shape[1]:
        return None
    if np.array_equal(whole[:, :width], part):
        return whole[:, width:]
    return whole[:, :-width] if np.array_equal(whole[:, -width:], part) else None


def _read_whole(record: OutputRecord, rows: int) -> Array:
    """What a network was given, numbers and what other modules made of them, in one piece or beside each other."""
    numbers, given = read_given(record, rows), record.given
    if given is None or given.made is None or len(given.made) != rows:
        return numbers
    made = to_array(given.made)
    if given.data is not None:
        return np.concatenate([numbers, made], axis=1) if len(numbers) == rows else numbers
    return numbers if _cut_off(made, numbers) is None else made


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


def read_answer(record: OutputRecord, head: str) -> HeadAnswer:
    """A pass that no loss asked anything of, whose rows are not known yet."""
    outputs = to_array(record.outputs)
    nowhere = np.full(len(outputs), UNMATCHED)
    return HeadAnswer(
        head=head,
        when=LEARNING if record.step else COLLECTING,
        step=record.step,
        inputs=_read_whole(record, len(outputs)),
        outputs=outputs,
        rows=nowhere,
        next_rows=nowhere.copy(),
        stamp=record.stamp,
        entrance=_name_entrance(record, len(outputs)),
        tokens=_read_tokens(record, len(outputs)),
    )


def read_answers(
    asked: Sequence[OutputRecord], name: Callable[[nn.Module], str], tells: Callable[[OutputRecord], bool]
) -> Iterator[HeadAnswer]:
    """The passes that tell something; a module is asked for that once, for it may have answered thousands of times."""
    kinds = {(id(each.module), each.outermost): each for each in asked}
    names = {place: name(each.module) for place, each in kinds.items() if tells(each)}
    for each in asked:
        head = names.get((id(each.module), each.outermost))
        if head is not None:
            yield read_answer(each, head)
