"""Waiting for a thread of our own, by the time in which this process runs: a machine may stand still for seconds."""

from __future__ import annotations

import threading
from collections.abc import Callable

SLICE = 0.05
"""Seconds: what one round of waiting costs at most, however long the machine stood still in it."""


def join_thread(thread: threading.Thread, seconds: float) -> float:
    """Waits until a thread has ended, at most so many seconds; how many of them are left."""
    return _wait_in_slices(thread.join, lambda: not thread.is_alive(), seconds)


def wait_for_event(event: threading.Event, seconds: float) -> bool:
    """Waits until an event is set, at most so many seconds; whether it is."""
    _wait_in_slices(event.wait, event.is_set, seconds)
    return event.is_set()


def _wait_in_slices(wait: Callable[[float], object], is_over: Callable[[], bool], seconds: float) -> float:
    left = seconds
    while left > 0 and not is_over():
        wait(min(SLICE, left))
        left -= SLICE
    return max(left, 0.0)
