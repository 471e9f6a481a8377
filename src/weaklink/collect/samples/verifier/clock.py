"""How much of the time is left, and what a call takes."""

from __future__ import annotations

import time

from weaklink.collect.samples.verifier.asking import Asker


class ExaminationClock:
    """The time given to an examination; loading the verifier is not counted."""

    def __init__(self, seconds: float, asker: Asker) -> None:
        self._seconds, self._asker = seconds, asker
        self._began = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds since the beginning."""
        return time.monotonic() - self._began

    def over(self, share: float = 1.0) -> bool:
        """Whether this share of the time is used up."""
        return self.spent > self._seconds * share

    def part(self, share: float) -> float:
        """Seconds since the beginning at which this share of the time will have gone by from now."""
        return self.spent + self._seconds * share

    def a_call(self) -> float:
        """Mean seconds of a call so far."""
        return self.spent / max(1, self._asker.calls)
