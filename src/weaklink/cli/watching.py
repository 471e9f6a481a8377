"""What `weaklink watch` shows: events as they come, and on a terminal below them how each run stands."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from weaklink.base.backports import Self
from weaklink.base.finding import Level
from weaklink.cli.options import OutputFormat
from weaklink.cli.output import OutputStream, complain
from weaklink.cli.serving import EventWatcher, NoWatcher, ServeOptions, serve_page
from weaklink.verbs.watch.events import Event, EventKind, RunStatus
from weaklink.verbs.watch.following import RunFollower

if TYPE_CHECKING:
    from rich.live import Live

    from weaklink.collect.monitor.sinks import Sinks

LINES_LEFT = 6
"""Lines of a terminal that the standing of the runs leaves free."""


class EventScreen:
    """Shows events and posts the alarms among them."""

    def __init__(self, format: OutputFormat, output: str, webhook: str) -> None:
        self._json = format is OutputFormat.JSON
        self._out = OutputStream(output, document=self._json)
        self._sinks = _make_sinks(webhook) if webhook else None
        self._live: Live | None = None
        self._page: EventWatcher = NoWatcher()

    @contextmanager
    def beside(self, following: RunFollower, options: ServeOptions) -> Iterator[None]:
        """Serves the page where an address is given, and shows how the runs stand where a person is watching."""
        with serve_page(following, options) as self._page, self:
            yield
        self._page = NoWatcher()

    def __enter__(self) -> Self:
        if self._out.terminal and not self._json:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(highlight=False), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def tell(self, events: Iterable[Event]) -> None:
        """Shows each event as soon as it comes."""
        for event in self._page.noticed(events):
            self._post(event)
            if self._json:
                self._out.show(event, OutputFormat.JSON)
            else:
                self._show(event)

    @property
    def closed(self) -> bool:
        """Whether nobody reads what is shown any more."""
        return self._out.closed

    def stand(self, statuses: Sequence[RunStatus]) -> None:
        """Draws the page anew, and shows how the runs stand where a person is watching."""
        self._page.refresh()
        if self._live is None or not statuses:
            return
        from weaklink.show.subjects.watch import write_standing

        room = max(shutil.get_terminal_size().lines - LINES_LEFT, 1)
        sheet = write_standing(statuses, room, self._out.sheet())
        self._live.update(sheet.coloured(), refresh=True)

    def close(self) -> None:
        """Waits a moment for what is still to be posted."""
        if self._sinks is not None:
            self._sinks.close()

    def _post(self, event: Event) -> None:
        finding = event.finding
        if event.kind is not EventKind.FINDING or finding is None or self._sinks is None:
            return
        if finding.severity >= Level.WARN:
            self._sinks.tell(finding, event.target)

    def _show(self, event: Event) -> None:
        from weaklink.show.subjects.watch import write_event

        sheet = write_event(event, self._out.sheet())
        if self._live is None:
            self._out.show_sheet(sheet)
        else:
            self._live.console.print(sheet.coloured(), end="", soft_wrap=True)


def _make_sinks(webhook: str) -> Sinks:
    from weaklink.collect.monitor.sinks import Sinks, WebhookSink

    return Sinks([WebhookSink(webhook)], complain)
