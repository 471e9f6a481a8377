"""A little is paid at once, more only behind two steps that pay nothing."""

from __future__ import annotations

from typing import Any

from weaklink.collect.probes.world import Transition, World


class Exploration(World):
    """Three right actions in a row pay 1; leaving at once pays a tenth of that. By chance one try in eight succeeds."""

    name = "exploration"
    adds = "exploration: trying what does not pay at first"
    asked = ("action",)
    looks = ((-1.0,), (0.0,), (1.0,))
    labels = ("first step", "second step", "third step")
    choices = 2
    effort = 2.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        if choice != 1:
            return (Transition(1.0, 0, 0.1 if state == 0 else 0.0, terminated=True),)
        last = state == 2
        return (Transition(1.0, 0 if last else state + 1, float(last), terminated=last),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (1,)
