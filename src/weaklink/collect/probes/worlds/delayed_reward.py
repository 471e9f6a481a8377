"""Two steps, and the reward only at the end."""

from __future__ import annotations

from weaklink.collect.probes.world import Transition, World


class DelayedReward(World):
    """The value of the first state is gamma, of the second 1."""

    name = "delayed-reward"
    adds = "discounting: returns, advantages and targets over more than one step"
    read_too = True
    looks = ((-1.0,), (1.0,))
    labels = ("first step", "second step")
    tolerance = 0.08

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, 1, 0.0),) if state == 0 else (Transition(1.0, 0, 1.0, terminated=True),)
