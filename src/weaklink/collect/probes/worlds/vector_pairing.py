"""Every member of a vector has rewards of its own."""

from __future__ import annotations

from typing import ClassVar

from weaklink.collect.probes.world import Transition, World


class VectorPairing(World):
    """Four kinds of member, told apart by what they show; each pays a number of its own, with the sign that is seen.

    The member is chosen once for each environment, so a batch that mixes up members and time learns other values.
    """

    name = "vector-pairing"
    adds = "several environments: which rows belong to which member"
    read_too = True
    pays: ClassVar[tuple[float, ...]] = (1.0, -1.0, 0.5, -0.5)
    looks = tuple((first, second, sign) for first in (-1.0, 1.0) for second in (-1.0, 1.0) for sign in (-1.0, 1.0))
    labels = tuple(f"member {member}, {sign} is seen" for member in range(4) for sign in ("-1", "+1"))
    starts = tuple(range(8))
    tolerance = 0.25
    effort = 1.5

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, state, self.pays[state // 2] * self.looks[state][2], terminated=True),)

    def first(self, member: int) -> tuple[tuple[float, int], ...]:
        return tuple((0.5, 2 * member + sign) for sign in (0, 1))

    def restart(self, last: int | None) -> tuple[tuple[float, int], ...]:
        if last is None:
            return super().restart(None)
        return ((0.25, last), (0.75, last ^ 1))
