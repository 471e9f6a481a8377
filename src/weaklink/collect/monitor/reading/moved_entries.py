"""Which entry a loss on action values moves in each row, beside the action that was taken there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from weaklink.base.evidence.recovered import ACTION_VALUES, RecoveredValues
from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, UpdateReading
from weaklink.collect.monitor.reading.joined import JoinedCalls
from weaklink.collect.monitor.reading.tape_rows import TakenActions
from weaklink.collect.monitor.reading.values import MOSTLY

LAGS = (-1, 1, -2, 2)
"""Steps from which an action may come instead of the row's own, by an index that is off."""

NEARLY_ALL = 0.99
"""The share of rows that must show one and the same mistake in choosing their action."""

FEWEST_KNOWN = 0.5
"""The share of rows that must be on the tape: rows that a trainer makes up, by giving episodes other goals, may look
like others that were really collected."""

FEWEST_PREFERRED, FEWEST_CHANGED = 8, 3
"""Rows whose action the network that was asked right before it would not have chosen, to say which one is learned; and
those of them in which it would choose another one by now."""


def compare_entries(
    reading: UpdateReading, head: str, joined: JoinedCalls, entries: Array, taken: TakenActions
) -> RecoveredValues:
    """How many rows move the value of another action than the one taken, and whose.

    At first the largest value is also that of the action that the network preferred when it acted, where it was asked
    before every step. Which of the two a loss moves is then left to later updates.
    """
    known = (joined.rows >= 0) & (entries >= 0)
    if np.mean(joined.rows >= 0) < FEWEST_KNOWN:
        return RecoveredValues(head=head, kind=ACTION_VALUES)
    rows, moved = joined.rows[known], entries[known]
    other = float(np.mean(moved != taken.table[rows, 0])) if known.any() else 0.0
    found = RecoveredValues(head=head, kind=ACTION_VALUES, compared=int(known.sum()), other=other)
    if other <= 1.0 - MOSTLY:
        return found
    largest, preferred = joined.outputs[known].argmax(axis=1), _list_preferred(reading, taken)[rows]
    tells = (preferred != UNMATCHED) & (preferred != taken.table[rows, 0])
    if np.mean(moved == largest) >= NEARLY_ALL:
        changed = bool(np.sum((preferred != largest)[tells]) >= FEWEST_CHANGED)
        sure = changed or not tells.any()
        return replace(found, largest=True) if sure else RecoveredValues(head=head, kind=ACTION_VALUES)
    lag = _find_lag(rows, moved, taken, reading.tape.members)
    held = tells.sum() >= FEWEST_PREFERRED and float(np.mean((moved == preferred)[tells])) >= NEARLY_ALL
    return replace(found, lag=lag, preferred=bool(held) and not lag)


def _find_lag(rows: Array, moved: Array, taken: TakenActions, members: int) -> int:
    """The step whose action each row has; 0 where there is none."""
    for lag in LAGS:
        others = rows + lag * members
        inside = (others >= 0) & (others < len(taken.table))
        if np.mean(inside) >= MOSTLY and np.mean(moved[inside] == taken.table[others[inside], 0]) >= NEARLY_ALL:
            return lag
    return 0


def _list_preferred(reading: UpdateReading, taken: TakenActions) -> Array:
    """(rows,) the action that a network preferred right before each step; UNMATCHED where none was asked."""
    preferred = np.full(reading.tape.rows, UNMATCHED)
    for answer in (each for each in reading.answers if len(each.rows) == reading.tape.members):
        there = (answer.rows != UNMATCHED) & (reading.tape.stamps[answer.rows] == answer.stamp)
        if there.any() and answer.outputs.shape[1] == int(taken.table.max(initial=0)) + 1:
            preferred[answer.rows[there]] = answer.outputs[there].argmax(axis=1)
    return preferred
