"""An observation that is made in the middle of a step: part of what the step changes is in it, the rest is not yet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array

SMALLEST = 4  # numbers of an attribute: fewer may be equal to columns by chance
WIDEST = 256  # columns of the observation
OFTEN = 0.2  # of the steps that end no episode show something that the step changed as it was before
FEWEST = 50  # numbers that are shown late, and numbers that are shown at once


class HalfShown(NamedTuple):
    """The first column of a block that shows an attribute in part as it was before the step, and how often it does."""

    column: int
    attribute: str
    steps: int
    of: int


def find_half_shown(held: HeldState) -> HalfShown | None:
    """The attribute that first observations show as it is, and later ones without part of what the step changed."""
    width = held.observations.shape[1]
    if width > WIDEST:
        return None
    for name, columns in held.attributes.items():
        size = len(columns)
        if not SMALLEST <= size <= width or not held.finite[columns].all():
            continue
        before, after = held.before[:, columns], held.after[:, columns]
        for column in range(width - size + 1):
            block = slice(column, column + size)
            if np.array_equal(held.observations[held.firsts, block], before[held.firsts]):
                found = _count_late(held, before, after, held.successors[:, block])
                if found is not None:
                    return HalfShown(column, name, *found)
    return None


def _count_late(held: HeldState, before: Array, after: Array, seen: Array) -> tuple[int, int] | None:
    """The steps that are shown in part, and all that end no episode; None where what is missing has another reason.

    What is missing must be shown as it was before the step, and by the next observation as it is, unless the next step
    changes it once more.
    """
    inner = np.ones(len(seen), dtype=bool)
    inner[held.lasts] = False
    places = np.flatnonzero(inner)
    late = seen[places] != after[places]
    at_once = ~late & (after[places] != before[places])
    kept = late & (after[places + 1] == after[places])
    steps = int(late.any(axis=1).sum())
    if min(int(late.sum()), int(at_once.sum()), int(kept.sum())) < FEWEST or steps < OFTEN * len(places):
        return None
    of_before = bool(np.all(seen[places][late] == before[places][late]))
    shown_next = bool(np.all(seen[places + 1][kept] == after[places][kept]))
    return (steps, len(places)) if of_before and shown_next else None
