"""Which dimension a softmax runs over: what is asked of its inputs adds up to zero along that one alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.flaw_kinds import ACROSS_ACTIONS, ACROSS_ROWS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UpdateReading
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.joined import join_calls
from weaklink.collect.monitor.reading.tape_rows import TakenActions

FEWEST_ROWS, FEWEST_CHOICES = 8, 3
"""Rows of a minibatch that tell which dimension a softmax runs over, and choices: what one of two gets the other
loses."""

ZERO_SUM, CLEARLY = 1e-4, 0.1
"""What 32-bit numbers leave of a sum that is zero, and what is none, both as a share of the numbers."""

EXACT = 1e-3
"""How far choices that were not taken may be pulled by other than their probabilities, as a share of the pull."""


def find_wrong_softmax(reading: UpdateReading, taken: TakenActions) -> Iterator[RecoveredFlaw]:
    """Heads whose softmax runs over the rows of a minibatch, or over the actions of a value distribution."""
    if not taken.discrete or taken.table.shape[1] != 1:
        return
    choices = int(taken.table.max(initial=0)) + 1
    for head in reading.heads:
        joined = join_calls(reading.of_head(head))
        width, count = joined.outputs.shape[1], len(joined.rows)
        if width == choices and takes_softmax_over_rows(joined.asked, joined.batches):
            yield RecoveredFlaw(kind=ACROSS_ROWS, head=head, count=count, of=count)
        elif (
            width > choices
            and width % choices == 0
            and takes_softmax_over_actions(joined.outputs, joined.asked, choices)
        ):
            yield RecoveredFlaw(kind=ACROSS_ACTIONS, head=head, count=count, of=count)


def takes_softmax_over_rows(asked: Array, batches: Array) -> bool:
    """Whether what is asked of logits adds up to zero over the rows of each minibatch, and not within the rows.

    A softmax pulls what it is taken over apart: one over the choices of a row leaves the sum of the row as it is.

    Args:
        asked: (n, k) the gradient.
        batches: (n,) the number of the minibatch.
    """
    group = np.unique(batches, return_inverse=True)[1]
    counts = np.bincount(group)
    if asked.shape[1] < 2 or not np.any(asked) or counts.min() < FEWEST_ROWS:
        return False
    sums, sizes = (np.stack([np.bincount(group, each) for each in table.T]) for table in (asked, np.abs(asked)))
    within = np.abs(asked.sum(axis=1)).sum() / np.abs(asked).sum()
    return bool(np.all(np.abs(sums) <= ZERO_SUM * sizes) and np.all(sizes > 0.0) and within > CLEARLY)


def takes_softmax_over_actions(outputs: Array, asked: Array, choices: int) -> bool:
    """Whether the atoms of value distributions are pulled as if each were a choice among actions.

    What is asked adds up to zero over the actions of each atom, and actions that were not taken are pushed by their
    probabilities. The mean that duelling streams subtract adds up to zero as well, but pushes them all alike.

    Args:
        outputs: (n, actions * atoms) or (n, atoms * actions).
        asked: the gradient at them.
        choices: how many actions there are.
    """
    used = np.any(asked != 0.0, axis=1)
    if choices < FEWEST_CHOICES or used.sum() < FEWEST_ROWS:
        return False
    for pulled, values in zip(_list_layouts(asked[used], choices), _list_layouts(outputs[used], choices), strict=True):
        whole, within = np.abs(pulled).sum(), np.abs(pulled.sum(axis=2)).sum()
        if np.abs(pulled.sum(axis=1)).sum() <= ZERO_SUM * whole and within > CLEARLY * whole:
            chances = np.exp(log_softmax(values.swapaxes(1, 2))).swapaxes(1, 2)
            apart = _differ(pulled / np.maximum(chances, 1e-30), pulled), _differ(pulled, pulled)
            return apart[0] <= EXACT and apart[1] > EXACT / CLEARLY
    return False


def _list_layouts(table: Array, choices: int) -> tuple[Array, Array]:
    """(n, actions, atoms) of numbers action by action, and of those atom by atom."""
    return table.reshape(len(table), choices, -1), table.reshape(len(table), -1, choices).swapaxes(1, 2)


def _differ(numbers: Array, pulled: Array) -> float:
    """How far numbers of the actions but the one that is pulled most lie apart, as a share of their size."""
    most = np.abs(pulled).sum(axis=2).argmax(axis=1)
    others = np.stack([np.delete(row, one, axis=0) for row, one in zip(numbers, most, strict=True)])
    return float(np.abs(others - others.mean(axis=1, keepdims=True)).sum() / max(np.abs(others).sum(), 1e-30))
