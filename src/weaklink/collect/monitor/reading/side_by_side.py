"""Policies with several heads, one for each of several choices, or for the two numbers that a density is made of.

The loss scores all of an action together, so the heads learn from the same rows in the same passes: side by side they
are one head.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadAnswer, HeadCall, UpdateReading, strip_numbers
from weaklink.collect.monitor.reading.categorical import fit_choices
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.policies import pull_logits
from weaklink.collect.monitor.reading.tape_rows import TakenActions

JOINT = " and "
"""Between the names of heads that are one."""

MOST_HEADS = 6
"""Orders of more heads are too many to try."""

CLEARLY = 0.05
"""Another order than that of the passes must leave so much less of the gradients."""


def join_heads(reading: UpdateReading, taken: TakenActions) -> UpdateReading:
    """The reading, heads of single choices joined into one that is named after all of them; as it is without such."""
    count = taken.table.shape[1]
    if not taken.discrete or not 1 < count <= MOST_HEADS:
        return reading
    heads = [head for head in reading.heads if _holds_logits(reading.of_head(head))]
    if len(heads) != count or not _learn_together([reading.of_head(head) for head in heads]):
        return reading
    order = _find_order([reading.of_head(head) for head in heads], taken)
    if order is None:
        return reading
    return _join(reading, [heads[place] for place in order])


def join_pairs(reading: UpdateReading, waiting: Sequence[Sequence[HeadCall]], width: int) -> Iterator[UpdateReading]:
    """The reading with two heads of so many numbers joined into one, for every pair that learns from the same passes.

    So it is with means and spreads of continuous actions that have a head each.
    """
    names = [calls[0].head for calls in waiting if calls[0].outputs.shape[1] == width]
    for heads in permutations(names, 2) if len(names) <= MOST_HEADS else ():
        if _learn_together([reading.of_head(head) for head in heads]):
            yield _join(reading, heads)


def _join(reading: UpdateReading, heads: Sequence[str]) -> UpdateReading:
    """The reading with these heads side by side, in their order."""
    joint, own = JOINT.join(heads), [reading.of_head(head) for head in heads]
    calls = {id(group[0]): _join_calls(joint, group) for group in zip(*own, strict=True)}
    kept = tuple(calls.get(id(call), call) for call in reading.calls if call.head not in heads or id(call) in calls)
    return replace(reading, calls=kept, answers=_join_answers(reading, heads))


def _holds_logits(calls: Sequence[HeadCall]) -> bool:
    joined = join_calls(calls)
    told = joined.take(np.any(joined.asked != 0.0, axis=1))
    return joined.outputs.shape[1] > 1 and len(told.rows) > 0 and pull_logits(told.outputs, told.asked)


def _learn_together(heads: Sequence[Sequence[HeadCall]]) -> bool:
    """Whether all heads have the same passes."""
    if len({len(calls) for calls in heads}) != 1:
        return False
    return all(
        call.step == group[0].step and np.array_equal(call.rows, group[0].rows)
        for group in zip(*heads, strict=True)
        for call in group
    )


def _find_order(heads: Sequence[Sequence[HeadCall]], taken: TakenActions) -> tuple[int, ...] | None:
    """Which head holds which choice: as they were asked, unless another order leaves clearly less of the gradients."""
    left = np.stack([[_measure(calls, taken.table[:, place]) for calls in heads] for place in range(len(heads))])
    asked = tuple(range(len(heads)))
    sums = {order: float(left[asked, order].sum()) for order in permutations(asked)}
    best = min(sums, key=lambda order: sums[order])
    if not np.isfinite(sums[best]):
        return None
    return best if sums[asked] > sums[best] + CLEARLY else asked


def _measure(calls: Sequence[HeadCall], chosen: Array) -> float:
    """What scoring one choice leaves of the gradients at a head; infinite where the head has too few logits."""
    joined = join_calls(calls)
    joined = joined.take((joined.rows >= 0) & np.any(joined.asked != 0.0, axis=1))
    if not len(joined.rows) or int(chosen.max(initial=0)) >= joined.outputs.shape[1]:
        return float("inf")
    return fit_choices(joined.outputs, joined.asked, chosen[joined.rows]).unexplained


def _join_calls(joint: str, calls: Sequence[HeadCall]) -> HeadCall:
    outputs, gradients = (
        np.concatenate([getattr(call, name) for call in calls], 1) for name in ("outputs", "gradients")
    )
    return replace(calls[0], head=joint, outputs=outputs, gradients=gradients)


def _join_answers(reading: UpdateReading, heads: Sequence[str]) -> tuple[HeadAnswer, ...]:
    """The answers of all networks, those of these heads and of the same layers of their copies joined."""
    layers = [strip_numbers(head) for head in heads]
    waiting: dict[str, list[HeadAnswer]] = {}
    found: list[HeadAnswer] = []
    for answer in reading.answers:
        layer = strip_numbers(answer.head)
        if layer in layers:
            waiting.setdefault(layer, []).append(answer)
        else:
            found.append(answer)
    own = [waiting.get(layer, []) for layer in layers]
    if len({len(each) for each in own}) != 1:
        return tuple(found)
    for group in zip(*own, strict=True):
        if all(np.array_equal(each.rows, group[0].rows) and each.stamp == group[0].stamp for each in group):
            outputs = np.concatenate([each.outputs for each in group], axis=1)
            found.append(replace(group[0], head=JOINT.join(each.head for each in group), outputs=outputs))
    return tuple(found)
