"""A process of a case, seen from here: what it says, and how it ended."""

from __future__ import annotations

import os
import queue
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from weaklink.base.errors import UsageError
from weaklink.base.outside.partner import Partner
from weaklink.verbs.debug.request import Message, Request

POLL = 0.1
MOST_THREADS = 4
"""Networks of small projects are slower with more."""


class Child(Partner[Message]):
    """One worker process. What it prints is kept in a file."""

    def __init__(self, request: Request, output: Path) -> None:
        self._messages: queue.Queue[Message | None] = queue.Queue()
        self._request = tempfile.NamedTemporaryFile(prefix="weaklink-", suffix=".json")  # noqa: SIM115  closed in close
        self._request.write(msgspec.json.encode(request))
        self._request.flush()
        output.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(
            "weaklink.verbs.debug.worker",
            self._request.name,
            decode=lambda line: msgspec.json.decode(line, type=Message),
            hear=self._messages.put,
            printed=output,
            folder=request.target.folder,
            spoken_to=False,
            threads=max(1, min((os.cpu_count() or 1) // 2, MOST_THREADS)),
        )

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

    def close(self) -> None:
        """Ends it and whatever it started."""
        super().close()
        self._request.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
