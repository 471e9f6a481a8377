"""Processes of our own: how one talks to its parent, is ended with all that it started, and what it left behind."""

from __future__ import annotations

import base64
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

MOST_SHOWN = 200
Message = TypeVar("Message")


def json_line(message: Any) -> bytes:
    """A message as a line of JSON."""
    return msgspec.json.encode(message) + b"\n"


def packed_line(message: Any) -> bytes:
    """A message as a line that keeps numbers which are not finite, as JSON would not."""
    return base64.b64encode(msgspec.msgpack.encode(message)) + b"\n"


def unpacked_line(line: bytes, kind: type[Message]) -> Message:
    """The message of such a line."""
    return msgspec.msgpack.decode(base64.b64decode(line), type=kind)


def own_output(encode: Callable[[Any], bytes] = json_line) -> Callable[[Any], None]:
    """A way to talk to the parent that nothing printed in this process can disturb: that goes to standard error."""
    channel = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)

    def say(message: Any) -> None:
        rest = memoryview(encode(message))
        with contextlib.suppress(OSError):
            while rest:
                rest = rest[channel.write(rest) or 0 :]

    return say


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
