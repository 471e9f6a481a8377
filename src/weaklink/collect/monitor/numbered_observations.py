"""Observations that are numbers of states, and what a loop gives its networks in their place.

A state that is a number is given to a network as anything that stands for it, most often as a row of zeros with a one
at its place. What was asked right before each step tells what stands for a state; where nothing was, because the first
actions are drawn at random, rows with a single one tell it by themselves. The tape then holds what networks are given.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, Tape

MOST_STATES, MOST_CELLS = 4096, 1 << 24
"""The largest number of a state, and of numbers that the rewritten tape may hold."""


def rewrite_states(tape: Tape, inputs: Iterable[Array], asked: Iterable[tuple[Array, Array]]) -> Tape:
    """The tape with what stands for its states; as it is where its observations are no such numbers, or where nothing
    stands for them.

    Args:
        tape: of the environments.
        inputs: what networks were given in the losses.
        asked: what they were given right before steps, and the rows of these.
    """
    seen = [np.asarray(each).reshape(tape.rows, -1) for each in (tape.observations, tape.next_observations)]
    given = [each for each in inputs if each.ndim == 2 and each.shape[1] > 1]
    if not tape.rows or seen[0].shape[1] != 1 or seen[0].dtype.kind not in "iu" or not given:
        return tape
    states, after = (each[:, 0].astype(np.int64) for each in seen)
    count, width = 1 + int(max(states.max(), after.max())), given[0].shape[1]
    if min(states.min(), after.min()) < 0 or count > MOST_STATES or tape.rows * width > MOST_CELLS:
        return tape
    pairs = [(each, states[rows]) for each, rows in asked if each.shape[1] == width and np.all(rows != UNMATCHED)]
    table = _read_table(pairs, count, width, given[0].dtype)
    if table is None:
        return tape
    alone = np.eye(count, width, dtype=table.dtype)
    known = ~np.isnan(table).any(axis=1)
    if np.array_equal(table[known], alone[known]) and count <= width and _have_one(given, width):
        table = alone
    if np.isnan(table[states]).any():
        return tape
    return replace(tape, observations=table[states], next_observations=table[after], states=states)


def _read_table(pairs: list[tuple[Array, Array]], count: int, width: int, kind: np.dtype[Any]) -> Array | None:
    """(count, width) what stands for each state, NaN where nobody knows; None where several things stand for one."""
    table = np.full((count, width), np.nan, kind if kind.kind == "f" else np.float64)
    for given, states in pairs:
        before = table[states]
        table[states] = given
        if not np.all((before == given) | np.isnan(before)) or not np.array_equal(table[states], given):
            return None
    return table


def _have_one(given: Iterable[Array], width: int) -> bool:
    """Whether all inputs of a width are zeros with a single one."""
    rows = np.concatenate([each for each in given if each.shape[1] == width])
    return bool(np.all((rows == 0.0) | (rows == 1.0)) and np.all(rows.sum(axis=1) == 1.0))
