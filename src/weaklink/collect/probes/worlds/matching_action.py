"""Two things to see, two actions, and the one that matches pays."""

from __future__ import annotations

from typing import Any, ClassVar

from weaklink.collect.probes.world import Transition, World


class MatchingAction(World):
    """In each state the action of its own number pays 1, the other costs 1; so both values become 1."""

    name = "matching-action"
    adds = "a policy that depends on what is seen: pairing of observations, actions and advantages in a batch"
    asked: ClassVar[tuple[str, ...]] = ("action", "value")
    looks = ((-1.0,), (1.0,))
    labels = ("-1 is seen", "+1 is seen")
    starts = (0, 1)
    choices = 2
    tolerance = 0.3

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, state, 1.0 if choice == state else -1.0, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (state,)
