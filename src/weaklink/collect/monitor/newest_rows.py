"""Rows of the steps that were just made, known by their moment: where observations repeat, bytes alone tell no row.

A loop that learns from what it has just collected gives its networks the newest steps in their order, time by time or
environment by environment. A critic that is asked right after a step about what followed it is asked about that step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.evidence.update import UNMATCHED, HeadAnswer, Tape

FEWEST = 4
"""Rows in their order that are those of the newest steps and no others; fewer may be by chance."""

HEARD = 0.95
"""The share of rows since the beginning of a run that must be on its tape: it is heard from its second step on."""

ONCE = 0.9
"""The share of moments with one question from which on a head is asked about one thing between steps."""


class NewestRows:
    """Finds what a network was given among the steps that were made right before.

    Args:
        tape: of the environments.
    """

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._ends = np.maximum.reduceat(tape.stamps, np.arange(0, tape.rows, max(tape.members, 1)))
        self._seen: dict[tuple[str, bool], Array] = {}

    def find_whole(self, inputs: Array, stamp: int, *, following: bool = False) -> Array | None:
        """The newest rows before a moment, where they are these inputs one after the other; None where they are not.

        Args:
            inputs: what a network was given.
            stamp: how many steps all environments had made by then.
            following: whether to look among the observations that followed.
        """
        members = self._tape.members
        times, over = divmod(len(inputs), members)
        last = int(np.searchsorted(self._ends, stamp))
        if over or len(inputs) < FEWEST or not self._has_width(inputs):
            return None
        given, seen = np.ascontiguousarray(inputs) + 0, self._cast(inputs, following)
        if times > last:
            return self._find_since_first(given, seen[: last * members])
        rows = np.arange((last - times) * members, last * members)
        for order in _list_orders(rows, members):
            if np.array_equal(given, seen[order]):
                return order
        return None

    def _find_since_first(self, given: Array, seen: Array) -> Array | None:
        """The rows of inputs that begin with a few steps which were made before the first one that was heard."""
        unheard = len(given) - len(seen)
        known = unheard <= self._tape.first * self._tape.members and len(seen) >= max(FEWEST, HEARD * len(given))
        if not known or not np.array_equal(given[unheard:], seen):
            return None
        return np.concatenate([np.full(unheard, UNMATCHED), np.arange(len(seen))])

    def find_step(self, inputs: Array, stamp: int, *, following: bool = False) -> Array:
        """The rows of the step that is made next, or with `following` of the one just made, where bytes agree.

        One input for each member, or that of the one member whose turn it is.
        """
        nowhere = np.full(len(inputs), UNMATCHED)
        rows = self._list_step(len(inputs), stamp, following) if self._has_width(inputs) else None
        if rows is None:
            return nowhere
        same = np.all(np.ascontiguousarray(inputs) + 0 == self._cast(inputs, following)[rows], axis=1)
        return np.where(same, rows, nowhere)

    def _list_step(self, count: int, stamp: int, following: bool) -> Array | None:
        tape = self._tape
        if count == tape.members:
            time = int(np.searchsorted(self._ends, stamp)) - following
            inside = 0 <= time < len(self._ends)
            return np.arange(time * tape.members, (time + 1) * tape.members) if inside else None
        found = np.flatnonzero(tape.stamps == stamp - following) if count == 1 else ()
        return np.asarray(found) if len(found) == 1 else None

    def _has_width(self, inputs: Array) -> bool:
        return bool(inputs.size) and inputs.shape[1] == self._tape.observations.shape[1]

    def _cast(self, inputs: Array, following: bool) -> Array:
        key = str(inputs.dtype), following
        if key not in self._seen:
            seen = self._tape.next_observations if following else self._tape.observations
            self._seen[key] = np.ascontiguousarray(seen.astype(inputs.dtype)) + 0
        return self._seen[key]


def _list_orders(rows: Array, members: int) -> Iterator[Array]:
    """The orders in which the newest rows may come back: time by time, and member by member."""
    yield rows
    if members > 1:
        yield rows[np.lexsort((rows, rows % members))]


def list_doubted(answers: Sequence[HeadAnswer]) -> frozenset[str]:
    """Heads that were asked about several things between two steps, where another was asked about one of that form.

    What such a head was asked about may be the step before, what followed it, or the step that is made next.
    """
    given: dict[tuple[str, int], dict[int, set[bytes]]] = {}
    for answer in answers:
        moments = given.setdefault((answer.head, answer.inputs.shape[1]), {})
        moments.setdefault(answer.stamp, set()).add(answer.inputs.tobytes())
    single = {key: np.mean([len(each) == 1 for each in moments.values()]) >= ONCE for key, moments in given.items()}
    sure = {width for (_, width), alone in single.items() if alone}
    return frozenset(head for (head, width), alone in single.items() if not alone and width in sure)
