"""Waiting by the time in which this process runs."""

from __future__ import annotations

import threading
import time

from tests.patience import no_hang
from weaklink.base.waiting import join_thread, wait_for_event


class StandsStill(threading.Event):
    """A machine that stands still in every wait, until this was asked for so often."""

    def __init__(self, rounds: int) -> None:
        super().__init__()
        self.rounds, self.stood = rounds, 0.3

    def wait(self, timeout: float | None = None) -> bool:
        time.sleep(self.stood)
        self.rounds -= 1
        if not self.rounds:
            self.set()
        return self.is_set()


def test_a_machine_that_stands_still_uses_up_no_patience():
    assert wait_for_event(StandsStill(rounds=3), 0.4)  # nine tenths of a second have passed
    assert not wait_for_event(StandsStill(rounds=20), 0.2)


def test_a_thread_is_waited_for_and_what_is_left_is_said():
    release = threading.Event()
    thread = threading.Thread(target=release.wait, daemon=True)
    thread.start()
    with no_hang():
        assert join_thread(thread, 0.1) == 0.0
    assert thread.is_alive()
    release.set()
    assert join_thread(thread, 1000.0) > 900.0
    assert not thread.is_alive()
    assert join_thread(thread, 2.0) == 2.0
