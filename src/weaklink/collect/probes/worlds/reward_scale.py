"""The matching action again, with rewards a hundred times larger and smaller."""

from __future__ import annotations

import math
from typing import ClassVar

from weaklink.collect.probes.world import Transition
from weaklink.collect.probes.worlds.matching_action import MatchingAction


class LargeRewards(MatchingAction):
    """The matching action pays 100 and the other 20: clipped to 1 they would be the same."""

    name = "reward-scale"
    adds = "rewards of another size"
    asked = ("action", "value")
    pays: ClassVar[tuple[float, float]] = (100.0, 20.0)
    effort = 2.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, state, self.pays[int(choice != state)], terminated=True),)

    def band(self, state: int, value: float, gamma: float) -> tuple[float, float]:
        # only the policy has to be right; what the value is helps to say why it is not
        return -math.inf, math.inf


class SmallRewards(LargeRewards):
    """The matching action pays 0.01, the other costs as much."""

    pays = (0.01, -0.01)
