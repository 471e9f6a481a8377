"""A process that is watched: what it prints is kept in bounds, and it ends with everything that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Mapping
from typing import IO

from weaklink.base.outside.processes import end

HEAD, TAIL = 1_000_000, 4_000_000
"""Bytes that are kept of the beginning and of the end of what is printed."""

CHUNK = 65_536
FAREWELL = 1.0
"""Seconds to say where it was when its time was up, and for its last words to arrive."""

OMITTED = b"\n[... %d bytes left out ...]\n"


class Kept:
    """The beginning and the end of a stream."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._head, self._most_head = bytearray(), head
        self._tail: deque[bytes] = deque()
        self._most_tail, self._in_tail, self._omitted = tail, 0, 0

    def add(self, chunk: bytes) -> None:
        """Takes in the next bytes."""
        room = self._most_head - len(self._head)
        self._head += chunk[:room]
        if len(chunk) > room:
            self._tail.append(chunk[room:])
            self._in_tail += len(self._tail[-1])
        while self._in_tail - len(self._tail[0] if self._tail else b"") >= self._most_tail:
            gone = len(self._tail.popleft())
            self._in_tail -= gone
            self._omitted += gone

    def text(self) -> str:
        """What was kept."""
        between = OMITTED % self._omitted if self._omitted else b""
        return (bytes(self._head) + between + b"".join(self._tail)).decode("utf-8", "replace")


class Process:
    """A running command in a session of its own, so that its children can be ended with it."""

    def __init__(self, words: list[str], environment: Mapping[str, str], seconds: float) -> None:
        """Starts it.

        Raises:
            OSError: it cannot be started.
        """
        self._kept = Kept()
        self._process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            start_new_session=os.name == "posix",
        )
        self.late = False
        self._began = time.monotonic()
        self._deadline = self._began + seconds
        self.seconds = 0.0
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()

    def _listen(self, output: IO[bytes]) -> None:
        with contextlib.suppress(OSError, ValueError):
            while chunk := os.read(output.fileno(), CHUNK):
                self._kept.add(chunk)

    def over(self) -> bool:
        """Whether it ended or its time is up; then nothing of it is left running."""
        if self._process.poll() is None:
            if time.monotonic() < self._deadline:
                return False
            self.late = True
            self._interrupt()
        self.seconds = time.monotonic() - self._began
        self.kill()
        return True

    def _interrupt(self) -> None:
        """Ctrl-C first: a Python program then says where it was."""
        if os.name != "posix":
            return
        self._process.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)

    def kill(self) -> None:
        """Ends it and whatever it started."""
        end(self._process)
        self._listener.join(FAREWELL)
        if self._process.stdout is not None and not self._listener.is_alive():
            self._process.stdout.close()

    @property
    def code(self) -> int:
        """What it ended with; the negative number of the signal where one ended it."""
        return self._process.wait()

    @property
    def printed(self) -> str:
        """What was kept of what it printed."""
        return self._kept.text()
