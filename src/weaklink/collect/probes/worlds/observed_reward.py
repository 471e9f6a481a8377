"""One action, one step, and the reward is what was seen: +1 or -1."""

from __future__ import annotations

from weaklink.collect.probes.world import Transition, World

TURNS = 0.75
"""How often the next episode shows the other sign: a mix-up of neighbours then leaves a trace of its own."""


class ObservedReward(World):
    """The value of each state is what it looks like."""

    name = "observed-reward"
    adds = "the way of the observation through the value network, and that of its gradient"
    read_too = True
    looks = ((-1.0,), (1.0,))
    labels = ("-1 is seen", "+1 is seen")
    starts = (0, 1)
    tolerance = 0.15
    told_apart_by = ("matching-action",)

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, state, self.looks[state][0], terminated=True),)

    def restart(self, last: int | None) -> tuple[tuple[float, int], ...]:
        return ((0.5, 0), (0.5, 1)) if last is None else ((1.0 - TURNS, last), (TURNS, 1 - last))
