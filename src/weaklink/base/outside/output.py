"""What a process printed, kept in bounds, and its last words."""

from __future__ import annotations

import contextlib
import signal
import threading
from pathlib import Path

HEAD, TAIL = 1_000_000, 4_000_000
"""Bytes that are kept of the beginning and of the end of what is printed."""

OMITTED = b"\n[... %d bytes left out ...]\n"
MOST_SHOWN = 200


def last_words(code: int, printed: str) -> str:
    """The signal or the exit code, and the fatal error or the last line that was printed."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    fatal = [line for line in lines if line.startswith("Fatal Python error")]
    names = {-each.value: each.name for each in signal.Signals}
    how = names.get(code, f"signal {-code}" if code < 0 else f"exit code {code}")
    return f"{how}: {(fatal or lines)[-1][:MOST_SHOWN]}" if lines else how


class KeptOutput:
    """The beginning and the end of what is printed.

    Args:
        file: where it is written too: the beginning as it comes, the end once there is no more.
        head, tail: how many bytes are kept of each.
    """

    def __init__(self, file: Path | None = None, *, head: int = HEAD, tail: int = TAIL) -> None:
        self._file = None if file is None else file.open("wb", buffering=0)
        self._head, self._tail, self._omitted = bytearray(), bytearray(), 0
        self._most_head, self._most_tail = head, tail
        self._lock = threading.Lock()

    def add(self, chunk: bytes) -> None:
        """Takes in the next bytes."""
        with self._lock:
            room = self._most_head - len(self._head)
            self._head += chunk[:room]
            self._write(chunk[:room])
            self._tail += chunk[room:]
            if len(self._tail) > 2 * self._most_tail:  # cut now and then: each cut moves what is left
                self._cut()

    def text(self) -> str:
        """What was kept."""
        with self._lock:
            return (bytes(self._head) + self._end()).decode("utf-8", "replace")

    def close(self) -> None:
        """Writes the end."""
        with self._lock:
            self._write(self._end())
            if self._file is not None:
                self._file.close()
            self._file = None

    def _cut(self) -> None:
        beyond = max(len(self._tail) - self._most_tail, 0)
        del self._tail[:beyond]
        self._omitted += beyond

    def _end(self) -> bytes:
        self._cut()
        return (OMITTED % self._omitted if self._omitted else b"") + bytes(self._tail)

    def _write(self, content: bytes) -> None:
        with contextlib.suppress(OSError):  # a full disk loses the copy and nothing else
            if self._file is not None and content:
                self._file.write(content)
