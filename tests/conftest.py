"""What holds for every test."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Lets Ctrl-C be heard: a suite that is started in the background ignores it, and so would its children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
