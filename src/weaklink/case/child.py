"""A process of a case, seen from here: what it says, and how it ended."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import msgspec

from weaklink.case.request import Message, Request
from weaklink.errors import UsageError
from weaklink.outside.processes import end, last_words

POLL = 0.1
MOST_SHOWN = 4000
MOST_THREADS = 4
"""Networks of small projects are slower with more."""


class Child:
    """One worker process. What it prints is kept in a file."""

    def __init__(self, request: Request, output: Path) -> None:
        self._messages: queue.Queue[Message | None] = queue.Queue()
        self._request = tempfile.NamedTemporaryFile(prefix="weaklink-", suffix=".json")  # noqa: SIM115  closed in close
        self._request.write(msgspec.json.encode(request))
        self._request.flush()
        self.output = output
        output.parent.mkdir(parents=True, exist_ok=True)
        self._errors = output.open("wb")
        self._process = subprocess.Popen(
            # -u: what it prints must be there even when it dies
            [sys.executable, "-u", "-m", "weaklink.case.worker", self._request.name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=request.target.folder or None,
            start_new_session=os.name == "posix",
            env={**_threads(), **os.environ},
        )
        self._listener = threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True)
        self._listener.start()

    def _listen(self, output: IO[bytes]) -> None:
        with output:
            for line in output:
                with contextlib.suppress(msgspec.DecodeError):
                    self._messages.put(msgspec.json.decode(line, type=Message))
        self._messages.put(None)

    def heard(self, field: str, deadline: Callable[[], float], report: Callable[[int], None] | None = None) -> Any:
        """Waits for a message with this field; None where the process ends or its time is up before that.

        Raises:
            UsageError: the target cannot be used.
        """
        while time.monotonic() < deadline():
            try:
                message = self._messages.get(timeout=POLL)
            except queue.Empty:
                continue
            if message is None:
                self._messages.put(None)
                return None
            if message.unusable:
                raise UsageError(message.unusable)
            if message.steps is not None and report is not None:
                report(message.steps)
            if getattr(message, field) is not None:
                return getattr(message, field)
        return None

    @property
    def running(self) -> bool:
        """Whether it still runs; one that has closed its output is given a moment to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(POLL)
        return self._process.poll() is None

    def printed(self) -> str:
        """The end of what it printed."""
        try:
            return self.output.read_text(encoding="utf-8", errors="replace")[-MOST_SHOWN:]
        except OSError:
            return ""

    def last_words(self) -> str:
        """The signal that it died of or its exit code, and the last line that it printed."""
        return last_words(self._process.wait(), self.printed())

    def close(self) -> None:
        """Ends it and whatever it started."""
        end(self._process)
        self._listener.join(1.0)
        self._errors.close()
        self._request.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _threads() -> dict[str, str]:
    few = str(max(1, min((os.cpu_count() or 1) // 2, MOST_THREADS)))
    return {"OMP_NUM_THREADS": few, "MKL_NUM_THREADS": few}
