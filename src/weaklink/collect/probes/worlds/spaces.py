"""The matching action once more: as an image, as a dictionary, with several choices at once, with masks."""

from __future__ import annotations

from typing import Any, ClassVar

from weaklink.collect.probes.world import Transition, World
from weaklink.collect.probes.worlds.matching_action import MatchingAction


class MatchingForm(MatchingAction):
    """The matching action seen in another form."""

    name = "spaces"
    adds = "other spaces: their features, their heads and their masks"
    asked = ("action",)


class MatchingPair(World):
    """Two signs are seen, and each of two choices must match its own."""

    name = "spaces"
    adds = MatchingForm.adds
    asked = ("action",)
    looks = ((-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0))
    labels = ("-1 and -1", "-1 and +1", "+1 and -1", "+1 and +1")
    starts = (0, 1, 2, 3)
    choices = 4
    effort = 1.5

    def law(self, state: int, choice: Any) -> tuple[Transition, ...]:
        wrong = (choice ^ state) & 1, (choice ^ state) & 2
        reward = 1.0 - sum(map(bool, wrong))
        return (Transition(1.0, state, reward, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (state,)


class MaskedAction(World):
    """Of four actions two are allowed, others in each state; of those the second pays. A forbidden one costs."""

    name = "spaces"
    adds = MatchingForm.adds
    asked = ("action", "allowed")
    looks = ((-1.0,), (1.0,))
    labels = ("-1 is seen", "+1 is seen")
    starts = (0, 1)
    choices = 4
    allowed: ClassVar[tuple[tuple[bool, ...], ...]] = ((True, True, False, False), (False, False, True, True))

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        reward = 1.0 if choice == self.right(state)[0] else -1.0
        return (Transition(1.0, state, reward, terminated=True),)

    def right(self, state: int) -> tuple[Any, ...]:
        return (1 + 2 * state,)
