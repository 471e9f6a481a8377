"""Nothing to see, one step, and one of two actions pays."""

from __future__ import annotations

from typing import Any

from weaklink.collect.probes.world import Transition, World


class TwoActions(World):
    """The second action pays 1, the first costs 1."""

    name = "two-actions"
    adds = "the advantage and the policy's update"
    asked = ("action",)
    looks = ((0.0,),)
    labels = ("the only state",)
    choices = 2
    told_apart_by = ("matching-action",)

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, 0, 1.0 if choice == 1 else -1.0, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (1,)
