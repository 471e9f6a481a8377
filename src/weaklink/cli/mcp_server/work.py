"""Work that a tool asks for: in a thread, one piece at a time, told to the client, ended where it gave up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from weaklink.base.errors import WeaklinkError
from weaklink.cli.faults import describe_own_fault

Result = TypeVar("Result")

TELL_EVERY = 0.5
"""Seconds between two notes to the client: often enough for a person who watches, and few beside the work."""

_TURN = threading.Lock()
"""Held by the work that is under way: trainings side by side would share the time that each was given."""


class WorkProgress:
    """How far a piece of work is. Telling raises KeyboardInterrupt once the client gave up, as Ctrl-C does."""

    def __init__(self, context: Context, seconds: float | None) -> None:
        self._context, self._seconds = context, seconds
        self._began, self._told = time.monotonic(), 0.0
        self._given_up = threading.Event()

    def tell(self, what: str) -> None:
        """Tells the client what is being done, now and then."""
        if self._given_up.is_set():
            raise KeyboardInterrupt
        now = time.monotonic()
        if now - self._told >= TELL_EVERY:
            self._told = now
            spent = now - self._began
            total = None if self._seconds is None else max(self._seconds, spent)
            anyio.from_thread.run(self._context.report_progress, spent, total, what)

    def give_up(self) -> None:
        """The client waits no longer."""
        self._given_up.set()


Job = Callable[[WorkProgress], Result]


async def carry_out(job: Job[Result], context: Context, *, seconds: float | None = None, alone: bool = True) -> Result:
    """What a job comes to.

    Args:
        job: a function of the progress to tell.
        context: of the request.
        seconds: about how long it takes, where that is known.
        alone: whether it waits until no other such job is under way.

    Raises:
        ToolError: wrong use, with requirement, value, place and cure; or a fault of weaklink itself.
    """
    progress = WorkProgress(context, seconds)

    def work() -> Result:
        if not alone:
            return job(progress)
        while not _TURN.acquire(timeout=TELL_EVERY):
            progress.tell("waiting for the work that was asked for before")
        try:
            return job(progress)
        finally:
            _TURN.release()

    try:
        result: Result = await anyio.to_thread.run_sync(work, abandon_on_cancel=True)
        return result
    except WeaklinkError as error:
        raise ToolError(str(error)) from None
    except KeyboardInterrupt:
        raise ToolError("It was stopped before anything was known.") from None
    except Exception as fault:
        raise ToolError(describe_own_fault(fault)) from fault
    finally:
        progress.give_up()
