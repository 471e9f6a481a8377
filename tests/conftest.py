"""What holds for every test."""

from __future__ import annotations

import os
import signal

# tests fill every core by themselves: the threads of a matrix product would only wait for one another, spinning
for threads in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(threads, "1")


def pytest_configure() -> None:
    """Lets Ctrl-C be heard: a suite that is started in the background ignores it, and so would its children."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
