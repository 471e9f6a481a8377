"""`weaklink watch --serve`: the page beside the terminal."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

import msgspec

from weaklink.base.errors import UsageError
from weaklink.cli.browser import open_in_browser
from weaklink.cli.output import complain
from weaklink.verbs.watch.events import Event
from weaklink.verbs.watch.following import RunFollower

SHORTEST_TOKEN = 16
_TOKEN = re.compile(rf"[A-Za-z0-9_-]{{{SHORTEST_TOKEN},512}}")


class ServeOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where the page is served, nowhere by default; what it asks for, and whether it shows what is private."""

    address: str = ""
    token: str = ""
    open_browser: bool = False
    show_all: bool = False


class EventWatcher(Protocol):
    """Sees what is told of the runs that are followed."""

    def noticed(self, events: Iterable[Event]) -> Iterable[Event]:
        """Takes events on their way to somebody else."""

    def refresh(self) -> None:
        """Does what is due."""


class NoWatcher:
    """Nobody looks but the terminal."""

    def noticed(self, events: Iterable[Event]) -> Iterable[Event]:
        """Hands the events on."""
        return events

    def refresh(self) -> None:
        """Has nothing to do."""


@contextmanager
def serve_page(following: RunFollower, options: ServeOptions) -> Iterator[EventWatcher]:
    """Serves the page of the runs that are followed, as long as this lasts; nothing, if no address is given.

    Raises:
        UsageError: the address is wrong or taken, or the extra `live` is not installed.
    """
    if not options.address:
        if options.open_browser:
            raise UsageError("--open opens the page that --serve serves, which was not given. Add --serve 8765.")
        yield NoWatcher()
        return
    from weaklink.show.live import check_installed
    from weaklink.show.live.address import bound, parse_address

    address = parse_address(options.address)
    key = _make_token(options.token)
    check_installed()
    from weaklink.show.live.board import Board
    from weaklink.show.live.drawing import rehearse
    from weaklink.show.live.server import BoardServer
    from weaklink.show.live.showing import LiveDrawer

    listener = bound(address)
    rehearse()
    board = Board()
    showing = LiveDrawer(following, board, complain, show_all=options.show_all)
    address = msgspec.structs.replace(address, port=listener.getsockname()[1])
    server = BoardServer(board, listener, address, key)
    server.start()
    try:
        _announce(f"{address.url}?token={key}", options.open_browser)
        yield showing
    finally:
        server.close()


def _make_token(given: str) -> str:
    if not given:
        return secrets.token_urlsafe(32)
    if not _TOKEN.fullmatch(given):
        raise UsageError(
            f"--token takes {SHORTEST_TOKEN} to 512 letters, digits, - and _, not the {len(given)} characters given."
            " Leave it out to have one made."
        )
    return given


def _announce(url: str, open_browser: bool) -> None:
    print(f"weaklink: the page is at {url}", file=sys.stderr, flush=True)
    if open_browser and not open_in_browser(url):
        complain("no browser could be opened from here: open the address above yourself.")
