"""One action, nothing to see, one step, reward 1."""

from __future__ import annotations

from weaklink.collect.probes.world import Transition, World


class ConstantReward(World):
    """The value of the only state is 1."""

    name = "constant-reward"
    adds = "the value loss and the optimizer"
    read_too = True
    looks = ((0.0,),)
    labels = ("the only state",)
    told_apart_by = ("observed-reward", "two-actions")

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, 0, 1.0, terminated=True),)
