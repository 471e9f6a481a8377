"""Keeps the monitor to its share of the time: what it spent, and whether the next piece of work fits."""

from __future__ import annotations

import time
from collections.abc import Callable

CHECK, FIRST_READING, EVALUATION = "check", "first reading", "evaluation"
"""The checks of the first updates, the first updates that are read from outside, and evaluations that are looked at."""

APART = {CHECK: 2.0, FIRST_READING: 3.0, EVALUATION: 0.5}
"""What stands apart from the budget, and the seconds for all work of such a kind together: neither keeps the other
from its turn."""

ONCE = 0.25
"""The share of these seconds that the second piece of work may be expected to cost, whatever the first one did: that
bears what is done once, such as the names of all modules and the evaluation before a training."""

ALLOWANCE = 0.05
"""Seconds to begin with, so that a short run gets numbers too."""

MOST_SAVED = 1.0
"""Seconds that can be saved up, and spent at one go; a piece of work that costs more may save for itself."""

RECENT = 0.3
"""The weight of the latest cost in the average."""


NOW, NEVER = float("-inf"), float("inf")


def make_training_clock() -> Callable[[], float]:
    """A clock of the time that a training has had: what passed, or what the process used of it where that is less.

    Where others keep the machine busy, a second that passes is not one that was trained for.
    """
    began, used = time.perf_counter(), time.process_time()
    return lambda: min(time.perf_counter() - began, time.process_time() - used)


class Governor:
    """Counts the monitor's own time against the time that the training has had.

    Training earns its share; work is allowed once it has been earned, at the average of what such work has
    cost lately. So work that costs much is done seldom, and none is ruled out for ever.

    Args:
        budget: the share of the time that may be used.
        clock: gives the seconds of training.
        worked: gives the seconds that this thread has worked. Waiting for a machine that others use is not work.
    """

    def __init__(
        self,
        budget: float = 0.01,
        clock: Callable[[], float] | None = None,
        worked: Callable[[], float] | None = None,
    ) -> None:
        self.budget = budget
        self.worked = worked or clock or time.thread_time
        clock = clock or make_training_clock()
        self.seconds: dict[str, float] = dict.fromkeys(APART, 0.0)
        self._clock = clock
        self._done: dict[str, int] = dict.fromkeys(APART, 0)
        self._costs: dict[str, float] = {}
        self._begun = self._counted = clock()
        self._earned_from = self._begun + (ALLOWANCE / budget if budget > 0 else NEVER)
        self._saved = ALLOWANCE
        self._most_saved = MOST_SAVED
        self._opens: dict[str, float] = dict.fromkeys(APART, NOW)
        self._opens_to_others = NOW

    def allows(self, kind: str) -> bool:
        """Whether the next piece of work of this kind fits; a kind never done before fits where anything is left."""
        opens = self._opens.get(kind, self._opens_to_others)
        return opens == NOW or self._clock() > opens

    def wait_counts(self) -> None:
        """Counts time that passes, on both sides: who waits for an accelerator holds the training up without work."""
        began = time.perf_counter() - self._clock()
        self.worked, self._clock = time.perf_counter, lambda: time.perf_counter() - began

    def spent(self, kind: str, seconds: float) -> None:
        """Counts a piece of work.

        Two threads that count at the same instant may lose one of the two, which is not worth a lock in a hot path.
        """
        seconds = max(seconds, 0.0)
        known = self._costs.get(kind)
        self._costs[kind] = seconds if known is None else known + RECENT * (seconds - known)
        self.seconds[kind] = self.seconds.get(kind, 0.0) + seconds
        if kind in APART:
            self._done[kind] += 1
            if self._done[kind] <= 2:
                self._costs[kind] = min(seconds, ONCE * APART[kind]) if known is None else seconds
            self._opens[kind] = NOW if self.seconds[kind] + self._costs[kind] < APART[kind] else NEVER
            return
        now = self._clock()
        self._saved = self._balance(now) - seconds
        self._counted = now
        self._most_saved = MOST_SAVED
        for other, cost in list(self._costs.items()):  # another thread may add a kind meanwhile
            if other not in APART:
                self._opens[other] = NOW if self._saved > cost else self._affords(cost)
                self._most_saved = max(self._most_saved, cost + ALLOWANCE)
        self._opens_to_others = NOW if self._saved > 0.0 else self._affords(0.0)

    @property
    def elapsed(self) -> float:
        """Seconds of training since the beginning."""
        return self._clock() - self._begun

    @property
    def share(self) -> float:
        """Own seconds, without what stands apart, as a share of the time of the training."""
        elapsed = self.elapsed
        own = sum(seconds for kind, seconds in list(self.seconds.items()) if kind not in APART)
        return own / elapsed if elapsed > 0 else 0.0

    def _affords(self, cost: float) -> float:
        """From when on there is more than this to be spent, worked out beforehand because it is asked often."""
        earns_from = max(self._counted, self._earned_from)
        return earns_from + (cost - self._saved) / self.budget if self.budget > 0 else NEVER

    def _balance(self, now: float) -> float:
        """Seconds that may be spent at this moment. The allowance is an advance: it is earned before anything else."""
        earned = (now - max(self._counted, self._earned_from)) * self.budget
        return min(self._saved + max(earned, 0.0), self._most_saved)
