"""Optimizers that are made anew before every update, followed from the first update that was read to the end.

One of the kind of Adam keeps averages of what it has seen. Where these are empty at the first step of every update
after the first, the optimizer is another one each time.
"""

from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import FRESH
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import UpdateReading

FEWEST_UPDATES = 3
"""Updates after the first one that was read in which a head's optimizer must have begun anew."""


class FreshOptimizers:
    """In how many updates each head was moved, and in how many of them by an optimizer without a past."""

    def __init__(self) -> None:
        self._updates: dict[str, int] = {}
        self._fresh: dict[str, int] = {}

    def note(self, reading: UpdateReading) -> None:
        """Takes an update that was read; the first one of a head is the first of its optimizer, too."""
        first = {trace.head: trace for trace in reversed(reading.layers) if trace.learns and trace.rate is not None}
        for head, trace in first.items():
            if head in self._updates:
                self._fresh[head] = self._fresh.get(head, 0) + trace.fresh
            self._updates[head] = self._updates.get(head, 0) + 1

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """Heads whose optimizer had no past in any update after their first, and the kind, where it would show."""
        later = {head: count - 1 for head, count in self._updates.items() if count > FEWEST_UPDATES}
        flaws = [
            RecoveredFlaw(kind=FRESH, head=head, count=count, of=count)
            for head, count in later.items()
            if self._fresh.get(head, 0) == count
        ]
        return tuple(flaws[:1]), frozenset((FRESH,) if later else ())
