"""The share of random actions of a trainer of action values, from the first update that was read to the end."""

from __future__ import annotations

from typing import NamedTuple

from weaklink.base.evidence.recovered import EVER_MORE_RANDOM, STILL_RANDOM, RecoveredFlaw, RecoveredUpdate

FEWEST_READINGS, FEWEST_ACTIONS = 3, 48
"""Updates, and actions of all of them, that must tell."""

FEWEST_STEPS = 2_000
"""Steps of a run: a shorter one may end before its epsilon was to fall."""

LATE = 0.2
"""The share of the run from which on the last reading tells: an epsilon that falls to the end is below 0.8 by then."""

ALL, NEARLY_ALL, MOST, FEW = 0.95, 0.9, 0.7, 0.3
"""Shares of random actions: of all that were looked at, and of any one reading, where every action is drawn; and where
a trainer follows its network seldom, and mostly."""


class RandomShare(NamedTuple):
    """What one update showed, after so many steps of the environments."""

    step: int
    share: float
    acted: int


class RandomShares:
    """The share of random actions, update by update."""

    def __init__(self) -> None:
        self._seen: list[RandomShare] = []

    def note(self, read: RecoveredUpdate, step: int) -> None:
        """Takes an update that was read after so many steps of all environments."""
        if read.random_share is not None:
            self._seen.append(RandomShare(step, read.random_share, read.acted))

    def find_flaws(self, steps: int) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What is wrong with them at the end of a run of so many steps, and the kinds that would have shown."""
        acted = sum(each.acted for each in self._seen)
        if len(self._seen) < FEWEST_READINGS or acted < FEWEST_ACTIONS or steps < FEWEST_STEPS:
            return (), frozenset()
        first, last = self._seen[0], self._seen[-1]
        if last.step < LATE * steps:
            return (), frozenset()
        pooled = sum(each.share * each.acted for each in self._seen) / acted
        always = pooled >= ALL and min(each.share for each in self._seen) >= NEARLY_ALL
        kinds = {STILL_RANDOM: always, EVER_MORE_RANDOM: first.share <= FEW and last.share >= MOST}
        flaws = (
            RecoveredFlaw(kind=kind, head="", count=last.step, of=steps, number=pooled if always else last.share)
            for kind, shows in kinds.items()
            if shows
        )
        return tuple(flaws), frozenset(kinds)
