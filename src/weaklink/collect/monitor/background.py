"""Work that waits for a quiet moment: one thread that is woken twice a second."""

from __future__ import annotations

import threading
from collections.abc import Callable

EVERY = 0.5


class Background:
    """Calls a function twice a second in a thread of its own until it is ended; it does not keep a program alive."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._turn, name="weaklink", daemon=True)
        self._thread.start()

    def _turn(self) -> None:
        while not self._ended.wait(EVERY):
            self._work()

    def close(self, patience: float = 5.0) -> None:
        """Ends the thread, once what it is doing is done."""
        self._ended.set()
        if self._thread is not threading.current_thread():
            self._thread.join(patience)
