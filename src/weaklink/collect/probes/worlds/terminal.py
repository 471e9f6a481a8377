"""Three steps that pay 1 each, and then a real end."""

from __future__ import annotations

from weaklink.collect.probes.world import Transition, World


class Terminal(World):
    """Each state is worth the discounted count of the steps left."""

    name = "terminal"
    adds = "terminals: the target must not bootstrap beyond them"
    read_too = True
    looks = ((-1.0,), (0.0,), (1.0,))
    labels = ("three steps left", "two steps left", "one step left")
    tolerance = 0.25

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        last = state == 2
        return (Transition(1.0, 0 if last else state + 1, 1.0, terminated=last),)
