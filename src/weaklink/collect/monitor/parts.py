"""The parts of the watching, each done under guard: a part that fails rests, is tried again, and says both."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Result = TypeVar("Result")

FIRST_PAUSE, LONGEST_PAUSE = 10.0, 600.0
"""Seconds that a part rests after its first failure, twice as long after each further one, and ten minutes at most: a
disk or a network that is away comes back in such times, and a part that cannot work says so six times an hour."""


@dataclass
class PartRest:
    """A part that failed: until when it rests, how long it will rest next, and what it has missed since when."""

    until: float
    pause: float
    since: float = 0.0
    missed: int = 0
    failing: bool = True


class PartRunner:
    """Does parts of the watching by name. Nothing that they raise gets out; once closed, and in a fork, none is done.

    Args:
        complain: is told in one line that a part failed, and that it works again.
        step: says at which step the training is.
        clock: gives seconds.
    """

    def __init__(
        self,
        complain: Callable[[str], None],
        step: Callable[[], float],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._complain, self._step, self._clock = complain, step, clock
        self._rests: dict[str, PartRest] = {}
        self._process = os.getpid()
        self.closed = False
        self.on_return: Callable[[str, float, int], object] | None = None

    @property
    def deaf(self) -> bool:
        """Whether nothing is done any more."""
        return self.closed or os.getpid() != self._process

    def attempt(self, part: str, work: Callable[[], Result]) -> Result | None:
        """Does a part, or leaves it out while it rests; None where it was left out or failed."""
        rest = self._rests.get(part)
        if self.deaf or (rest is not None and self._rests_still(rest)):
            return None
        try:
            result = work()
        except Exception as error:  # nothing that is done here may end a training
            self._fail(part, error)
            return None
        if rest is not None and rest.failing:
            self._return(part, rest)
        return result

    def _rests_still(self, rest: PartRest) -> bool:
        if rest.failing and self._clock() < rest.until:
            rest.missed += 1
            return True
        return False

    def _fail(self, part: str, error: Exception) -> None:
        rest = self._rests.setdefault(part, PartRest(0.0, FIRST_PAUSE, self._step(), failing=False))
        if not rest.failing:
            rest.since = self._step()
        rest.until, rest.failing, rest.missed = self._clock() + rest.pause, True, rest.missed + 1
        self._complain(
            f"{part} failed and is tried again in {rest.pause:.0f} s: {type(error).__name__}: {str(error)[:200]}"
        )
        rest.pause = min(2.0 * rest.pause, LONGEST_PAUSE)

    def _return(self, part: str, rest: PartRest) -> None:
        missed, rest.failing, rest.missed = rest.missed, False, 0
        self._complain(f"{part} works again; it was left out {missed} times since step {rest.since:g}.")
        if self.on_return is not None:
            self.on_return(part, rest.since, missed)
