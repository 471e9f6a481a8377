"""What is to be seen now: the latest pages and the last alerts, written by one thread and read by another."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Mapping, Sequence

import msgspec

MOST_ALERTS = 100
"""Alerts that are kept for browsers that come back."""


class BoardPage(msgspec.Struct, frozen=True):
    """One page, encoded, and the version of the board that it came with."""

    id: str
    version: int
    content: bytes


class BoardState(msgspec.Struct, frozen=True, kw_only=True):
    """All that is on the board at one version of it, as JSON already.

    `head` is the document without its pages, `drawn` the version of its last change; each alert stands beside the
    version that it came with.
    """

    version: int = 0
    drawn: int = 0
    head: Mapping[str, msgspec.Raw] = {}
    sheets: tuple[BoardPage, ...] = ()
    alerts: tuple[tuple[int, bytes], ...] = ()
    ended: bool = False

    def document(self) -> bytes:
        """The whole document as JSON."""
        return msgspec.json.encode({**self.head, "pages": [msgspec.Raw(sheet.content) for sheet in self.sheets]})

    def changes(self, since: int) -> bytes:
        """What changed of the document since a version: its head, the order of its pages, and the pages drawn anew."""
        fresh = [msgspec.Raw(sheet.content) for sheet in self.sheets if sheet.version > since]
        return msgspec.json.encode({**self.head, "order": [sheet.id for sheet in self.sheets], "pages": fresh})


class Board:
    """One writer puts a whole new state up; readers of an event loop wait for the next one.

    Nothing is queued: who reads slowly finds the latest state when it looks again, and of alerts the last hundred.
    `name` is new with every board, so that a browser that comes back knows whether it is the same one.
    """

    def __init__(self) -> None:
        self.name = secrets.token_hex(4)
        self.state = BoardState()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._bell = asyncio.Event()

    def draw(self, head: Mapping[str, msgspec.Raw], sheets: Sequence[tuple[str, bytes]]) -> None:
        """Puts a new document up; a page that is the very same as before keeps its version."""
        before = {sheet.id: sheet for sheet in self.state.sheets}
        version = self.state.version + 1
        drawn = tuple(
            before[name] if name in before and before[name].content is content else BoardPage(name, version, content)
            for name, content in sheets
        )
        self._put(msgspec.structs.replace(self.state, version=version, drawn=version, head=head, sheets=drawn))

    def alert(self, alert: bytes) -> None:
        """Adds an alert, and forgets the oldest where there are too many."""
        version = self.state.version + 1
        alerts = (*self.state.alerts, (version, alert))[-MOST_ALERTS:]
        self._put(msgspec.structs.replace(self.state, version=version, alerts=alerts))

    def end(self) -> None:
        """Lets every reader know that nothing more will come."""
        self._put(msgspec.structs.replace(self.state, version=self.state.version + 1, ended=True))

    async def beyond(self, version: int, seconds: float) -> BoardState:
        """The state as soon as it is another than this version, or as it is after so many seconds."""
        self._loop = asyncio.get_running_loop()
        if self.state.version == version:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._bell.wait(), seconds)
        return self.state

    def _put(self, state: BoardState) -> None:
        self.state = state
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it every reader
                self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        bell, self._bell = self._bell, asyncio.Event()
        bell.set()
