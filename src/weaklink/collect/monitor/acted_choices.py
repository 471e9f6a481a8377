"""How actions are chosen, from the first update that was read to the end: by what the networks answer, or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.choices import ActedChoices
from weaklink.base.evidence.flaw_kinds import (
    EVER_MORE_RANDOM,
    LEAST,
    NEVER_DRAWN,
    NEVER_NOISY,
    NOT_BEST,
    ONE_SIDED,
    SPENT_EARLY,
    STILL_RANDOM,
)
from weaklink.base.evidence.recovered import RecoveredFlaw, RecoveredUpdate

FEWEST_READINGS, FEWEST_ACTIONS = 3, 48
"""Updates, and actions of all of them, that must tell."""

FEWEST_STEPS = 2_000
"""Steps of a run: a shorter one may end before its epsilon was to fall."""

LATE = 0.2
"""The share of the run from which on the last reading tells: an epsilon that falls to the end is below 0.8 by then."""

ALL, NEARLY_ALL, MOST, FEW = 0.95, 0.9, 0.7, 0.3
"""Shares of random actions: of all that were looked at, and of any one reading, where every action is drawn; and where
a trainer follows its network seldom, and mostly."""

FEWEST_ASKED, FEWEST_UNASKED = 32, 16
"""Steps before which the network was asked, and ones among them before which it was not: a trainer that asks it only
where it does not draw means to follow it. Others ask always, and nobody knows which of their actions were drawn."""

BEYOND_CHANCE, SURELY = 3.0, 0.8
"""Standard errors by which the best action must be taken more often than by chance; and the share from which on chance
alone would agree so often that nothing tells."""


AT_FIRST, BY_THEN = 0.4, 0.15
"""Shares of random actions in the first and in the last quarter of all that is collected before the first update."""

FEWEST_DRAWN = 30.0
"""How often an action that is never taken would have been by chance: that has a chance of 1e-13."""

FEWEST_NOISY, FEWEST_PUSHED, ONE_WAY = 6, 60, 0.9
"""Updates, and actions with noise in all of them, and the share of these that it must push to the same side. Noise that
drifts stays on one side for some ten steps."""

FEWEST_EXACT = 48
"""Steps of an actor without noise, in updates after the first one: some begin with random actions."""


class ChoicesSeen(NamedTuple):
    """What one update showed, after so many steps of the environments."""

    step: int
    choices: ActedChoices


class ChoicesTrack:
    """The choices that were made, update by update."""

    def __init__(self) -> None:
        self._seen: list[ChoicesSeen] = []
        self._exact: list[int] = []
        self._noise: list[tuple[int, int]] = []

    def note(self, read: RecoveredUpdate, step: int) -> None:
        """Takes an update that was read after so many steps of all environments."""
        if read.choices is not None:
            self._seen.append(ChoicesSeen(step, read.choices))
        if read.exact is not None:
            self._exact.append(read.exact)
        if read.noise is not None:
            self._noise.append(read.noise)

    def find_flaws(self, steps: int) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What is wrong with them at the end of a run of so many steps, and the kinds that would have shown."""
        if self._exact:
            return self._find_noiseless()
        acted = sum(seen.choices.steps for seen in self._seen)
        if len(self._seen) < FEWEST_READINGS or acted < FEWEST_ACTIONS:
            return (), frozenset()
        kinds = (NOT_BEST, LEAST, NEVER_DRAWN) if self._asks_to_follow() else (NEVER_DRAWN,)
        unfollowed = tuple(self._find_unfollowed()) if NOT_BEST in kinds else ()
        unfollowed = unfollowed or (*self._find_spent(), *self._find_never_drawn())
        if steps < FEWEST_STEPS or self._seen[-1].step < LATE * steps:
            return unfollowed, frozenset(kinds)
        random = () if unfollowed else tuple(self._find_random(steps, acted))
        return (*unfollowed, *random), frozenset((*kinds, STILL_RANDOM, EVER_MORE_RANDOM))

    def _find_noiseless(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """Actors whose actions are exactly their own answers in every update that was read."""
        count, updates = sum(self._exact), len(self._exact)
        if updates < FEWEST_READINGS or (min(self._exact) and count < FEWEST_EXACT):
            return (), frozenset()
        flaw = RecoveredFlaw(kind=NEVER_NOISY, head="", count=count, of=updates)
        return (flaw,) if min(self._exact) else tuple(self._find_one_sided()), frozenset({NEVER_NOISY, ONE_SIDED})

    def _find_one_sided(self) -> Iterator[RecoveredFlaw]:
        """Noise that pushes actions to the same side in every update that was read."""
        pushed = np.sum(self._noise, axis=0) if len(self._noise) >= FEWEST_NOISY else np.zeros(2)
        most, count = int(pushed.max()), int(pushed.sum())
        if count >= FEWEST_PUSHED and most >= ONE_WAY * count:
            yield RecoveredFlaw(kind=ONE_SIDED, head="", count=most, of=count)

    def _find_never_drawn(self) -> Iterator[RecoveredFlaw]:
        """Actions that are never taken at random, although others are."""
        width = max(len(seen.choices.drawn) for seen in self._seen)
        parts = [seen.choices for seen in self._seen if len(seen.choices.drawn) == width]
        drawn, expected = (np.sum([getattr(each, name) for each in parts], axis=0) for name in ("drawn", "expected"))
        for action in np.flatnonzero((drawn == 0) & (expected >= FEWEST_DRAWN)).tolist():
            total = int(drawn.sum())
            yield RecoveredFlaw(
                kind=NEVER_DRAWN, head="", count=total, of=width, number=action, other=float(expected[action])
            )

    def _find_random(self, steps: int, acted: int) -> Iterator[RecoveredFlaw]:
        shares = [seen.choices.random for seen in self._seen]
        pooled = sum(seen.choices.random * seen.choices.steps for seen in self._seen) / acted
        always = pooled >= ALL and min(shares) >= NEARLY_ALL
        kinds = {STILL_RANDOM: always, EVER_MORE_RANDOM: shares[0] <= FEW and shares[-1] >= MOST}
        for kind in (kind for kind, shows in kinds.items() if shows):
            number = pooled if always else shares[-1]
            yield RecoveredFlaw(kind=kind, head="", count=self._seen[-1].step, of=steps, number=number)

    def _find_spent(self) -> Iterator[RecoveredFlaw]:
        """Actions that are random at first and the network's own before it has learned anything."""
        first = self._seen[0].choices
        if first.course is not None and first.course[0] >= AT_FIRST and first.course[1] <= BY_THEN:
            early, late = first.course
            yield RecoveredFlaw(kind=SPENT_EARLY, head="", count=first.steps, of=first.steps, number=early, other=late)

    def _asks_to_follow(self) -> bool:
        asked = sum(len(seen.choices.taken) for seen in self._seen)
        return asked >= FEWEST_ASKED and sum(seen.choices.unasked for seen in self._seen) >= FEWEST_UNASKED

    def _find_unfollowed(self) -> Iterator[RecoveredFlaw]:
        """Steps before which the network was asked and its best action was taken no more often than by chance."""
        taken, best, least = (
            np.concatenate([getattr(seen.choices, name) for seen in self._seen]) for name in ("taken", "best", "least")
        )
        count, width = len(taken), int(max(taken.max(), best.max())) + 1
        shares = [np.bincount(each, minlength=width) / count for each in (taken, best)]
        chance, follows = float(shares[0] @ shares[1]), float(np.mean(taken == best))
        error = np.sqrt(chance * (1.0 - chance) / count)
        smallest = int(np.count_nonzero(taken == least))
        if smallest >= ALL * count:
            yield RecoveredFlaw(kind=LEAST, head="", count=smallest, of=count)
        elif chance <= SURELY and follows <= chance + BEYOND_CHANCE * error:
            agreed = int(np.count_nonzero(taken == best))
            yield RecoveredFlaw(kind=NOT_BEST, head="", count=agreed, of=count, number=follows, other=chance)
