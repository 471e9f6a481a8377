"""Passes of a network that one loss is made of all together, as it is of a minibatch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weaklink.base.evidence.update import UNMATCHED, HeadCall
from weaklink.collect.monitor.matching import RowFinder, find_rows

FEWEST_TIMES = 3
"""Times that a network is unrolled over: two passes may be about a step and what followed it."""


MOST_FORGOTTEN = 1
"""Times before the first one on the tape that a network may be unrolled over besides: the step by which environments
that are stepped one by one are met."""


def join_collected(calls: Sequence[HeadCall], finder: RowFinder) -> tuple[HeadCall, ...]:
    """The calls, those that a trainer made while collecting and learns from later joined into one for each step."""
    groups: dict[tuple[str, int, int], list[HeadCall]] = {}
    for call in calls:
        if finder.find_asked(call) is not None:
            groups.setdefault((call.head, call.step, call.inputs.shape[1]), []).append(call)
    return _replace(calls, [(group, _join_calls(group)) for group in groups.values() if len(group) > 1])


def join_unrolled(calls: Sequence[HeadCall], finder: RowFinder) -> tuple[HeadCall, ...]:
    """The calls, those of a network with a memory that learns time by time joined into one for each step.

    The memory that it begins with is a number beside the first observations, and is left out with them.
    """
    groups: dict[tuple[str, int, int], list[HeadCall]] = {}
    for call in calls:
        if not call.climbed:
            groups.setdefault((call.head, call.step, call.stamp), []).append(call)
    joined = [(group, _unroll(group, finder)) for group in groups.values() if len(group) >= FEWEST_TIMES]
    return _replace(calls, [(group, one) for group, one in joined if one is not None])


def _unroll(group: Sequence[HeadCall], finder: RowFinder) -> HeadCall | None:
    """One call of all times; None where the passes are not about one time after the other."""
    width = min(call.inputs.shape[1] for call in group)
    if any(len(call.rows) != len(group[0].rows) for call in group):
        return None
    whole = _join_calls([replace(call, inputs=call.inputs[:, :width]) for call in group])
    for lost in range(min(finder.forgotten, MOST_FORGOTTEN) + 1):
        skipped = lost * len(group[0].rows)
        rows = find_rows(replace(whole, inputs=whole.inputs[skipped:], rows=whole.rows[skipped:]), finder)
        times = rows.reshape(len(group) - lost, -1) // finder.members
        if np.all(rows != UNMATCHED) and np.all(times == times[:, :1]) and np.all(np.diff(times[:, 0]) == 1):
            return replace(whole, rows=np.concatenate([np.full(skipped, UNMATCHED), rows]))
    return None


def _replace(calls: Sequence[HeadCall], joined: Sequence[tuple[Sequence[HeadCall], HeadCall]]) -> tuple[HeadCall, ...]:
    """The calls, each group of them replaced by one, where its first call stood."""
    first = {id(group[0]): one for group, one in joined}
    dropped = {id(call) for group, _ in joined for call in group[1:]}
    return tuple(first.get(id(call), call) for call in calls if id(call) not in dropped)


def _join_calls(calls: Sequence[HeadCall]) -> HeadCall:
    inputs, outputs, gradients, rows = (
        np.concatenate([getattr(call, name) for call in calls]) for name in ("inputs", "outputs", "gradients", "rows")
    )
    return replace(calls[0], inputs=inputs, outputs=outputs, gradients=gradients, rows=rows, made=None)
