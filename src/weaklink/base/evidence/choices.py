"""Actions as they were chosen while collecting, beside what a network of action values answered."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from weaklink.base.evidence.series import Array


@dataclass(frozen=True, slots=True, eq=False)
class ActedChoices:
    """The actions that were collected for an update, beside what the network of action values answered before them.

    Attributes:
        random: the share of them that were drawn at random.
        steps: how many there are.
        unasked: how many there are after the first of which the network was asked, before which it was not.
        taken: (n,) the action of each step before which the network was asked.
        best: (n,) the one with the largest value.
        least: (n,) the one with the smallest value.
        course: the share that was drawn at random in the first and in the last quarter of them, where all that was ever
            collected is among them.
        drawn: (actions,) how often each action was taken where it was not the best one, or where no network was asked.
        expected: (actions,) how often each would be, were all of them drawn alike.
    """

    random: float
    steps: int
    unasked: int
    taken: Array
    best: Array
    least: Array
    course: tuple[float, float] | None = None
    drawn: Array = field(default_factory=lambda: np.zeros(0))
    expected: Array = field(default_factory=lambda: np.zeros(0))
