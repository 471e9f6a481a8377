"""The process of a case, seen from here: what it says, and how it ended."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.base.outside.child import Supervisor, make_module_command
from weaklink.verbs.debug.request import CaseRequest, WorkerMessage

MOST_THREADS = 4
"""Networks of small projects are slower with more."""

MOST_SHOWN = 4000


class CaseProcess(Supervisor[WorkerMessage]):
    """One worker process. What it prints is kept in a file.

    Args:
        request: what it is asked for.
        output: the file.
        seconds: how long it may take until its next `allow`.
    """

    def __init__(self, request: CaseRequest, output: Path, seconds: float) -> None:
        super().__init__()
        output.parent.mkdir(parents=True, exist_ok=True)
        self.child = self.start(
            make_module_command("weaklink.verbs.debug.worker"),
            WorkerMessage,
            request,
            seconds=seconds,
            folder=request.target.folder,
            threads=max(1, min((os.cpu_count() or 1) // 2, MOST_THREADS)),
            output=output,
        )

    def heard(self, field: str, report: Callable[[int], None] | None = None) -> Any:
        """Waits for a message with this field; None where the process ends or its time is up before that.

        Raises:
            UsageError: the target cannot be used.
        """
        while self.children and (event := self.wait()) is not None and (message := event[1]) is not None:
            if message.unusable:
                raise UsageError(message.unusable)
            if message.steps is not None and report is not None:
                report(message.steps)
            if getattr(message, field) is not None:
                return getattr(message, field)
        return None
