"""How often one may look: so often that all of it takes a small share of one core."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SHARE = 0.03
"""Of one core, for reading and judging."""
BEAT_SHARE = 0.01
"""Of one core, for each thing that is done again and again beside it."""
LONGEST_REST = 30.0


class TimeAccount:
    """An account of time: it fills while one waits, and looking is paid from it.

    However much one look took, the next may follow after LONGEST_REST.

    Args:
        now: the time in seconds.
        worked: the seconds of a core that this thread used.
    """

    def __init__(
        self, now: Callable[[], float] = time.monotonic, worked: Callable[[], float] = time.thread_time
    ) -> None:
        self._now, self._worked = now, worked
        self._saved = SHARE * LONGEST_REST
        self._at = now()

    @property
    def free(self) -> bool:
        """Whether there is time for a look now."""
        now = self._now()
        self._saved = min(self._saved + SHARE * (now - self._at), SHARE * LONGEST_REST)
        self._at = now
        return self._saved > 0

    @contextmanager
    def spent(self) -> Iterator[None]:
        """Pays for what is done inside."""
        began = self._worked()
        try:
            yield
        finally:
            self._saved = max(self._saved - (self._worked() - began), -SHARE * LONGEST_REST)


class RepeatTimer:
    """A time to do something again, further away the longer it took."""

    def __init__(self, shortest: float) -> None:
        self._shortest = shortest
        self._next = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time again."""
        return time.monotonic() >= self._next

    @property
    def left(self) -> float:
        """The seconds until it is time again."""
        return max(self._next - time.monotonic(), 0.0)

    @contextmanager
    def done(self) -> Iterator[None]:
        """Measures what is done inside, and sets the next time."""
        began = time.thread_time()
        try:
            yield
        finally:
            took = time.thread_time() - began
            self._next = time.monotonic() + min(max(took / BEAT_SHARE, self._shortest), LONGEST_REST)
