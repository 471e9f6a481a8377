"""A policy of choices that climbs a critic on average over all of its choices: soft actor-critic with discrete actions.

The loss of a row is `weight * sum(chance * (alpha * log chance - value))`. At the logits it asks for
`weight * chance * (alpha * (log chance - mean log chance) - (value - mean value))`, with means under the policy: two
columns, whose factors are the weight and the temperature.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.recovered import RecoveredClimb
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import HeadCall, UpdateReading
from weaklink.collect.monitor.reading.next_values import read_chances
from weaklink.collect.monitor.reading.tape_rows import find_beside

EXACTLY = 1e-3
"""What the two columns may leave of the gradients."""

FEWEST = 32
"""Rows that must tell."""


def recover_soft_choices(reading: UpdateReading, calls: Sequence[HeadCall]) -> RecoveredClimb | None:
    """How the loss of a head of logits looks at the critics that were asked beside it; None where it does not."""
    wide = [call for call in calls if call.outputs.shape[1] > 1 and np.any(call.gradients != 0.0)]
    if sum(len(call.rows) for call in wide) < FEWEST:
        return None
    found = [next(_list_fits(reading, call), None) for call in wide]
    fits = [each for each in found if each is not None]
    if not fits or len(fits) < len(found):
        return None
    return RecoveredClimb(head=fits[0][0], weight=-float(np.median([weight for _, weight in fits])), share=1.0)


def _list_fits(reading: UpdateReading, call: HeadCall) -> Iterator[tuple[str, float]]:
    """The critics that explain what is asked of a pass, each with the weight of its values."""
    chance = read_chances(np.asarray(call.outputs, np.float64))
    logs = np.log(np.maximum(chance, 1e-30))
    asked = np.asarray(call.gradients, np.float64) * len(call.rows)
    for head, values in _list_values(reading, call):
        columns = [_centre(logs, chance), -_centre(values, chance)]
        table = np.stack([column.ravel() for column in columns], axis=1)
        factors, *_ = np.linalg.lstsq(table, asked.ravel(), rcond=1e-12)
        left = asked.ravel() - table @ factors
        if float(np.linalg.norm(left)) <= EXACTLY * float(np.linalg.norm(asked)) and factors[1] != 0.0:
            yield head, float(factors[1])


def _list_values(reading: UpdateReading, call: HeadCall) -> Iterator[tuple[str, Array]]:
    """The smaller values of two networks that were asked about the rows of a pass, then those of each."""
    asked = [(each.head, each.outputs) for each in find_beside(reading, call)]
    asked += [(each.head, each.outputs) for each in _list_passes(reading, call)]
    beside = [
        (head, np.asarray(outputs, np.float64))
        for head, outputs in asked
        if outputs.shape == call.outputs.shape and head != call.head
    ]
    for place, (head, values) in enumerate(beside):
        yield from ((head, np.minimum(values, other)) for _, other in beside[:place])
    yield from beside


def _list_passes(reading: UpdateReading, call: HeadCall) -> list[HeadCall]:
    """Passes of other networks, asked about the same rows for the same step, whose values are part of the loss."""
    return [
        each for each in (*reading.calls, *reading.unmoved)
        if each.step == call.step and np.array_equal(each.rows, call.rows)
    ]  # fmt: skip


def _centre(numbers: Array, chance: Array) -> Array:
    """Each number less the mean of its row under the policy, times its probability."""
    return np.asarray(chance * (numbers - np.sum(chance * numbers, axis=1, keepdims=True)))
