"""Passes of heads as evidence: what a network was given by way of all its modules, what it answered, what was asked."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from weaklink.adapters.torch.arrays import to_array
from weaklink.adapters.torch.outputs import GivenInput, OutputRecord
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import COLLECTING, LEARNING, UNMATCHED, HeadAnswer, HeadCall

WHOLE = (torch.int64, torch.int32)
"""The types that tokens come in."""


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
