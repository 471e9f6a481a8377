"""Two steps: the reward of the second belongs to what was seen in the first."""

from __future__ import annotations

from weaklink.collect.probes.world import Transition, World


class ShiftedPairing(World):
    """The first state is worth gamma times its sign, the second the first's sign; its own means nothing.

    Each look holds the sign that is shown, the one shown before, and the step. The last observation looks like a first
    one, so a reset that is stored as a step shows too.
    """

    name = "shifted-pairing"
    adds = "the pairing of rows in time"
    read_too = True
    looks = (
        (-1.0, 0.0, -1.0),
        (1.0, 0.0, -1.0),
        *((shown, before, 1.0) for before in (-1.0, 1.0) for shown in (-1.0, 1.0)),
    )
    labels = (
        "-1 first",
        "+1 first",
        *(f"{shown} after {before}" for before in ("-1", "+1") for shown in ("-1", "+1")),
    )
    starts = (0, 1)
    tolerance = 0.25
    effort = 1.5

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        if state in self.starts:
            return tuple(Transition(0.5, 2 + 2 * state + shown, 0.0) for shown in (0, 1))
        return (Transition(1.0, state % 2, self.looks[state][1], terminated=True),)
