"""Processes of our own: how one is ended with all that it started, and what one that died left behind."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any

MOST_SHOWN = 200


def end(process: subprocess.Popen[Any]) -> None:
    """Ends a process that was started in a session of its own, and whatever it started."""
    if os.name == "posix":
        with contextlib.suppress(ProcessLookupError, PermissionError):  # nothing of it is left
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def last_words(code: int, printed: str) -> str:
    """The signal or the exit code, and the fatal error or the last line that was printed."""
    how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("Fatal Python error")]
    return f"{how}: {(fatal or lines)[-1][:MOST_SHOWN]}" if lines else how
