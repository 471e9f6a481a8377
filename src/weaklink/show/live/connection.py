"""One connection to the server: it asks within seconds or is closed, and those that only wait make room for others.

uvicorn waits for the head of a request as long as the client likes: requests that are never sent to their end would
use up what connections there are.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_WITHIN = 5.0
"""Seconds for the head of a request, from the connection or the last answer on; uvicorn keeps idle ones as long."""
MOST_WAITING = 512
"""Connections that have asked nothing yet; beyond it the oldest of them is closed. With the answers that may be under
way they stay below 1024, the open files that systems commonly allow."""


class PromptConnection(H11Protocol):  # type: ignore[misc]  # uvicorn is an extra, and unknown to mypy
    """A connection as uvicorn handles it, with a deadline for what is asked."""

    _waiting_since: float | None = None
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._wait()
        waiting = sorted(self._list_waiting(), key=lambda one: one._waiting_since or 0.0)
        for oldest in waiting[: max(0, len(waiting) - MOST_WAITING)]:
            oldest._give_up()

    def data_received(self, data: bytes) -> None:
        """Takes a part of a request; with the end of its head the waiting is over."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Waits for the next request, which may have arrived already."""
        self._wait()
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets the connection."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _list_waiting(self) -> list[PromptConnection]:
        everybody: set[Any] = self.connections
        return [one for one in everybody if isinstance(one, PromptConnection) and one._waiting_since is not None]

    def _wait(self) -> None:
        self._stop_waiting()
        self._waiting_since = self.loop.time()
        self._deadline = self.loop.call_later(HEAD_WITHIN, self._give_up)

    def _look(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop_waiting()

    def _stop_waiting(self) -> None:
        self._waiting_since = None
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()
