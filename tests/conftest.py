"""What holds for every test."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Ctrl-C is heard: a suite that is started in the background is told to ignore it, and its children would be too."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
