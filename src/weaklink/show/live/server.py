"""The server: uvicorn in a thread of its own, so that Ctrl-C reaches the watching and never waits for a browser."""

from __future__ import annotations

import asyncio
import socket
import threading
import time

import uvicorn

from weaklink.base.errors import UsageError
from weaklink.show.live.address import ServerAddress
from weaklink.show.live.application import build_application
from weaklink.show.live.board import Board
from weaklink.show.live.connection import PromptConnection
from weaklink.show.live.guard import RequestGuard, list_host_names, name_cookie

LONGEST_START, LONGEST_END = 20.0, 3.0
LONGEST_GOODBYE = 1
"""Seconds that a browser which does not read holds the end up."""


class BoardServer:
    """Serves a board on a socket that listens, until it is closed."""

    def __init__(self, board: Board, listener: socket.socket, address: ServerAddress, token: str) -> None:
        self._board, self._listener = board, listener
        hosts = list_host_names(address.host) if address.is_loopback else frozenset()
        guarded = RequestGuard(build_application(board), hosts=hosts, token=token, cookie=name_cookie(address.port))
        config = uvicorn.Config(
            guarded, http=PromptConnection, ws="none", lifespan="off", interface="asgi3", log_config=None,
            log_level="critical", access_log=False, server_header=False, proxy_headers=False,
            timeout_graceful_shutdown=LONGEST_GOODBYE,
        )  # fmt: skip
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._run, name="weaklink-page", daemon=True)

    def start(self) -> None:
        """Returns when requests are answered."""
        self._thread.start()
        ends = time.monotonic() + LONGEST_START
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > ends:
                raise UsageError("The server of the page did not start. Leave --serve out to watch without it.")
            time.sleep(0.01)

    def close(self) -> None:
        """Ends every connection and the server."""
        self._board.end()
        self._server.should_exit = True
        self._thread.join(LONGEST_END)
        self._listener.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        await self._server.serve(sockets=[self._listener])
        for connection in tuple(self._server.server_state.connections):  # of browsers that did not read to the end
            connection.transport.abort()
        await asyncio.sleep(0)
