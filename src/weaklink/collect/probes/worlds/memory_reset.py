"""A coin must be guessed that nobody can know, unless something is left of the last episode."""

from __future__ import annotations

from typing import Any, ClassVar

from weaklink.collect.probes.world import Transition, World


class MemoryReset(World):
    """First a guess, then the coin is shown. The next coin is mostly the same one.

    An agent that starts each episode with an empty memory guesses right half of the time. One whose state leaks from
    the last episode does better, and gives itself away.
    """

    name = "memory-reset"
    adds = "an empty memory at the start of each episode"
    asked = ("chance",)
    stays: ClassVar[float] = 0.9
    looks = ((0.0, 0.0), (0.0, 0.0), (-1.0, 1.0), (1.0, 1.0))
    labels = ("guessing", "guessing", "shown -1", "shown +1")
    starts = (0, 1)
    choices = 2
    effort = 2.0

    def law(self, state: int, choice: object) -> tuple[Transition, ...]:
        if state in self.starts:
            return (Transition(1.0, state + 2, 1.0 if choice == state else -1.0),)
        return (Transition(1.0, state - 2, 0.0, terminated=True),)

    def restart(self, last: int | None) -> tuple[tuple[float, int], ...]:
        if last is None:
            return super().restart(None)
        return ((self.stays, last), (1.0 - self.stays, 1 - last))

    def right(self, state: int) -> tuple[Any, ...]:
        return (state,) if state in self.starts else ()
