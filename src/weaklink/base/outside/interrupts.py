"""Children that hear an interrupt although we do not."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def pass_interrupts_on() -> Iterator[None]:
    """What is started meanwhile hears SIGINT, which a shell has ignored by what it puts in the background."""
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)  # of a handler a new program keeps nothing
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
