"""Random numbers that come back: generators that are seeded anew before every rollout, with the same seed.

A generator that is left alone is never twice in one state. Where its states at the steps of one update are those at the
steps of others, it was put back on the way, and actions are drawn by the same numbers each time.
"""

from __future__ import annotations

from weaklink.base.evidence.flaw_kinds import SAME_DRAWS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.update import UpdateReading

FEWEST_STATES = 4
"""Different states of a generator within an update from which on it is drawn from at the steps."""

FEWEST_UPDATES = 3
"""Updates in which the same states must come back: a seed may be set twice, before and after something is tried."""


class RepeatedDraws:
    """In which updates each state of each generator was seen, as far as it was drawn from."""

    def __init__(self) -> None:
        self._seen: dict[str, dict[str, int]] = {}
        self._updates: dict[str, int] = {}

    def note(self, reading: UpdateReading) -> None:
        """Takes an update that was read."""
        steps = set(reading.tape.stamps.tolist())
        states: dict[str, set[str]] = {}
        for streams in (each for stamp, each in reading.draws.items() if stamp in steps):
            for name, state in streams.items():
                states.setdefault(name, set()).add(state)
        for name, moved in states.items():
            if len(moved) >= FEWEST_STATES:
                self._updates[name] = self._updates.get(name, 0) + 1
                counts = self._seen.setdefault(name, {})
                counts.update({state: counts.get(state, 0) + 1 for state in moved})

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """Generators whose states come back, and the kind, where it would show."""
        flaws = []
        for name, counts in self._seen.items():
            often = [count for count in counts.values() if count >= FEWEST_UPDATES]
            if len(often) >= FEWEST_STATES:
                flaws.append(RecoveredFlaw(kind=SAME_DRAWS, head=name, count=max(often), of=self._updates[name]))
        looked = any(count >= FEWEST_UPDATES for count in self._updates.values())
        return tuple(flaws), frozenset((SAME_DRAWS,) if looked else ())
