"""One optimizer of a rank between two looks: its steps, their times, and how its parameters are spread."""

from __future__ import annotations

import statistics
import time
import weakref
from typing import Any

from weaklink.adapters.torch.fingerprints import digest_shapes
from weaklink.adapters.torch.process_group import find_sharding, list_ignored

MOST_TIMES = 512
"""Times of single steps that are kept between two looks; of more, every second one."""


class RankTrack:
    """One optimizer: its place among the others, its steps, and the times of those since the last look."""

    def __init__(self, place: int) -> None:
        self.place, self.steps = place, 0
        self.ended_at: float | None = None
        self.shapes, self.sharded, self.named = "", "", False
        self.replica: weakref.ref[Any] | None = None
        self.ignored: frozenset[int] = frozenset()
        self._since, self._counted = time.perf_counter(), 0
        self._away: list[float] = []
        self._total, self._stride = 0.0, 1

    def introduce(self, held: list[Any], replica: Any) -> None:
        """Finds out once how the parameters are spread over processes."""
        self.shapes = digest_shapes(held)
        self.sharded = find_sharding(held, replicated=replica is not None)
        self.ignored = list_ignored(replica)
        self.replica = None if replica is None else weakref.ref(replica)

    def count(self, backward_at: float | None) -> None:
        """Counts a step, and the time from the end of the one before to the backward pass."""
        self.steps += 1
        self._counted += 1
        if self.ended_at is None or backward_at is None:
            return
        away = max(backward_at - self.ended_at, 0.0)
        self._total += away
        if self._counted % self._stride == 0:
            self._away.append(away)
            if len(self._away) >= MOST_TIMES:
                self._away, self._stride = self._away[::2], 2 * self._stride

    def take_times(self) -> dict[str, float]:
        """The times since this was asked last."""
        now = time.perf_counter()
        told = {
            "steps": self._counted,
            "seconds": now - self._since,
            "away": self._total,
            "usual_away": statistics.median(self._away) if self._away else 0.0,
        }
        self._since, self._counted, self._total, self._stride = now, 0, 0.0, 1
        self._away.clear()
        return told
