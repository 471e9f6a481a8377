"""A choice, then steps on which nothing depends, then its reward."""

from __future__ import annotations

from typing import Any, ClassVar

from weaklink.collect.probes.world import Transition, World

STEPS = 6


class LongCredit(World):
    """The choice is seen all the way, so a state is worth gamma to the power of the steps still to go."""

    name = "long-credit"
    adds = "credit over many steps: lambda, n-step targets, the target network"
    asked = ("action", "value")
    steps: ClassVar[int] = STEPS
    looks = (
        (0.0, -1.0),
        *((side, 2.0 * step / STEPS - 1.0) for side in (-1.0, 1.0) for step in range(1, STEPS + 1)),
    )
    labels = (
        "choosing",
        *(f"{step} after the {side} choice" for side in ("wrong", "right") for step in range(1, STEPS + 1)),
    )
    choices = 2
    tolerance = 0.2
    effort = 3.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        if state == 0:
            return (Transition(1.0, 1 + STEPS * int(choice == 1), 0.0),)
        if (state - 1) % STEPS < STEPS - 1:
            return (Transition(1.0, state + 1, 0.0),)
        return (Transition(1.0, 0, 1.0 if state > STEPS else -1.0, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (1,) if state == 0 else ()
