"""Server-sent events: what one browser is told, from the moment it connects.

document   the whole document; the first thing on every connection
pages      what changed of it: the pages drawn anew, and the order of all
alert      a finding that came or went
beat       every few seconds without news; a page that hears nothing for long knows that the connection is dead
end        the watching was ended on purpose
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator

from weaklink.show.live.board import Board, BoardState

RETRY_MILLISECONDS = 1000
BEAT = 5.0
CHUNK = 1 << 16
"""As much is handed over at once, so that a slow connection holds no more than a few of these."""


class StreamMessages:
    """The events of the latest state, each made once for all the browsers."""

    def __init__(self, board: Board) -> None:
        self._name = board.name.encode()
        self._state = board.state
        self._made: dict[int | None, bytes] = {}

    def document(self, state: BoardState) -> bytes:
        """The whole document."""
        return self._once(state, None)

    def pages(self, state: BoardState, since: int) -> bytes:
        """What changed of it since a version."""
        return self._once(state, since)

    def alerts(self, state: BoardState, since: int) -> Iterator[bytes]:
        """The alerts since a version."""
        for version, alert in state.alerts:
            if version > since:
                yield self.message(state, "alert", alert)

    def message(self, state: BoardState, event: str, data: bytes) -> bytes:
        """One event; JSON as msgspec writes it has no line break in it."""
        return b"id: %s-%d\nevent: %s\ndata: %s\n\n" % (self._name, state.version, event.encode(), data)

    def _once(self, state: BoardState, since: int | None) -> bytes:
        if state is not self._state:
            self._state, self._made = state, {}
        if since not in self._made:
            event, data = ("document", state.document()) if since is None else ("pages", state.changes(since))
            self._made[since] = self.message(state, event, data)
        return self._made[since]


async def stream(board: Board, messages: StreamMessages, last_id: str = "", beat: float = BEAT) -> AsyncIterator[bytes]:
    """What one browser is told; `last_id` is that of the last event it got over an earlier connection."""
    state = board.state
    yield b"retry: %d\n\n" % RETRY_MILLISECONDS
    for chunk in _split_chunks(messages.document(state)):
        yield chunk
    since = _parse_version(last_id, board)
    for alert in messages.alerts(state, state.version if since is None else since):
        yield alert
    while not state.ended:
        seen = state.version
        state = await board.beyond(seen, beat)
        if state.version == seen:
            yield b"event: beat\ndata: %d\n\n" % time.time()
            continue
        for alert in messages.alerts(state, seen):
            yield alert
        if state.drawn > seen:
            for chunk in _split_chunks(messages.pages(state, seen)):
                yield chunk
    yield messages.message(state, "end", b"{}")


def _split_chunks(content: bytes) -> Iterator[bytes]:
    for start in range(0, len(content), CHUNK):
        yield content[start : start + CHUNK]


def _parse_version(last_id: str, board: Board) -> int | None:
    """The version that an event id is of; None where another server gave it."""
    name, _, version = last_id.partition("-")
    return int(version) if name == board.name and version.isascii() and version.isdigit() else None
