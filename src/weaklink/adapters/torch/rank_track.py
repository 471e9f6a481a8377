"""One optimizer of a rank between two looks: its steps, their times, and how its parameters are spread."""

from __future__ import annotations

import statistics
import time
import weakref
from typing import Any

from weaklink.adapters.torch.fingerprints import digest_shapes
from weaklink.adapters.torch.process_group import find_sharding, list_ignored

STRETCH = 32
"""Steps before a look that are timed; those before them cost no more than a count."""

NEVER = 1 << 62
"""A step that does not come: of an optimizer that is left alone."""


def find_next(step: int) -> int:
    """The next step that is looked at: powers of two and three times those, so that all ranks choose the same."""
    power = 1 << step.bit_length()
    between = 3 * power // 4
    return between if between > step else power


class RankTrack:
    """One optimizer: its place among the others, its steps, and the times of those right before a look.

    Attributes:
        due: the step that is looked at next.
        wake: the step from which on they are timed.
        awake: whether they are.
    """

    def __init__(self, place: int, *, ignored: bool = False) -> None:
        self.place, self.steps = place, 0
        self.due = self.wake = NEVER if ignored else 1
        self.awake = not ignored
        self.ended_at: float | None = None
        self.shapes, self.sharded, self.named = "", "", False
        self.replica: weakref.ref[Any] | None = None
        self.ignored: frozenset[int] = frozenset()
        self._since, self._counted, self._away = time.perf_counter(), 0, list[float]()

    def introduce(self, held: list[Any], replica: Any) -> None:
        """Finds out once how the parameters are spread over processes."""
        self.shapes = digest_shapes(held)
        self.sharded = find_sharding(held, replicated=replica is not None)
        self.ignored = list_ignored(replica)
        self.replica = None if replica is None else weakref.ref(replica)

    def count_time(self, backward_at: float | None) -> None:
        """Counts a step that is timed, and the time from the end of the one before to the backward pass."""
        if not self.awake:
            self.awake, self.ended_at, self._since = True, None, time.perf_counter()
            return
        self._counted += 1
        if self.ended_at is not None and backward_at is not None:
            self._away.append(max(backward_at - self.ended_at, 0.0))

    def take_times(self) -> dict[str, float]:
        """The times since the steps are timed, or since this was asked last."""
        now = time.perf_counter()
        told = {
            "steps": self._counted,
            "seconds": now - self._since,
            "away": sum(self._away),
            "usual_away": statistics.median(self._away) if self._away else 0.0,
        }
        self._since, self._counted = now, 0
        self._away.clear()
        return told

    def plan_next(self) -> None:
        """After a step that was due: which one is next, and from which on they are timed."""
        self.due = find_next(self.steps)
        self.wake = max(self.due - STRETCH, self.steps + 1)
        if self.wake > self.steps + 1:
            self.awake = False
            self._counted = 0
            self._away.clear()
