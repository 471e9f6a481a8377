"""Time limits: an endless task that is cut off, and a cut after which the next episode begins somewhere better."""

from __future__ import annotations

from typing import ClassVar

from weaklink.collect.probes.world import Transition, World

MOST_EPISODES = 200
"""So many episodes on nothing counts any more, whatever the discount; without one their sum stays finite."""


class TimeLimit(World):
    """Every state looks the same and is worth 1 / (1 - gamma): the limit is no end of the task."""

    name = "time-limit"
    adds = "time limits: the value of the last observation belongs into the target"
    read_too = True
    length: ClassVar[int] = 4
    looks = ((0.0,),) * 4
    labels = ("any step",) * 4
    stands_alone = True
    effort = 2.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        last = state == self.length - 1
        return (Transition(1.0, 0 if last else state + 1, 1.0, truncated=last),)

    def band(self, state: int, value: float, gamma: float) -> tuple[float, float]:
        # a learner that takes the limit for an end cannot pass the first number, however it averages
        cut = 1.0 / (1.0 - gamma * (self.length - 1) / self.length)
        return min(1.4 * cut, 0.5 * (cut + value)), 1.15 * value


class LastObservation(World):
    """The first step pays 1; then nothing is paid any more, and a time limit cuts off what would go on like that."""

    name = "time-limit"
    adds = "time limits: the last observation is that of this episode, and not the first one of the next"
    read_too = True
    looks = ((-1.0,), (1.0,))
    labels = ("first step", "at the limit")
    stands_alone = True

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        return (Transition(1.0, 1, 1.0),) if state == 0 else (Transition(1.0, 1, 0.0, truncated=True),)

    def band(self, state: int, value: float, gamma: float) -> tuple[float, float]:
        # a quarter of the way to what the next start would add: with a memory the last observation is never learned
        more = sum(gamma ** (2 * episode) for episode in range(1, MOST_EPISODES))
        room = max(self.tolerance, 0.25 * more)
        return value - room, value + room
