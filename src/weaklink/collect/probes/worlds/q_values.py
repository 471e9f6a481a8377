"""Two states, two actions, and four exact values of actions."""

from __future__ import annotations

from typing import Any

from weaklink.collect.probes.world import Transition, World


class QValues(World):
    """From the first state one may leave for 0.5 or go on; from the second take 1 or go back."""

    name = "q-values"
    adds = "the value of each action: its target, the mask and the target network"
    asked = ("q",)
    looks = ((-1.0,), (1.0,))
    labels = ("first state", "second state")
    choices = 2
    effort = 2.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        if state == 0:
            return (Transition(1.0, 1, 0.0),) if choice == 0 else (Transition(1.0, 0, 0.5, terminated=True),)
        return (Transition(1.0, 0, 1.0, terminated=True),) if choice == 0 else (Transition(1.0, 0, 0.0),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (0,)
