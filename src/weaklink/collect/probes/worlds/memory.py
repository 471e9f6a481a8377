"""A sign is shown first, and only later may one act on it."""

from __future__ import annotations

from typing import Any

from weaklink.collect.probes.world import Transition, World


class Memory(World):
    """The right last action is the sign that was shown two steps earlier; without memory it is a coin toss."""

    name = "memory"
    adds = "the recurrent state and batches of sequences"
    asked = ("action",)
    looks = ((-1.0, 0.0), (1.0, 0.0), (0.0, 0.0), (0.0, 0.0), (0.0, 1.0), (0.0, 1.0))
    labels = ("-1 shown", "+1 shown", "waiting after -1", "waiting after +1", "acting after -1", "acting after +1")
    starts = (0, 1)
    choices = 2
    effort = 3.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        if state < 4:
            return (Transition(1.0, state + 2, 0.0),)
        reward = 1.0 if choice == state - 4 else -1.0
        return (Transition(1.0, state - 4, reward, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (state - 4,) if state >= 4 else ()
