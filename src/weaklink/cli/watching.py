"""What `weaklink watch` shows: events as they come, and on a terminal below them how each run stands."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from weaklink.base.errors import UsageError
from weaklink.base.finding import Level
from weaklink.cli.options import FailOn, Format
from weaklink.cli.output import Output, complain
from weaklink.cli.reporting import BAD_INPUT, FINDINGS
from weaklink.cli.targets import check_output
from weaklink.verbs.watch.events import Event, Kind, Status

if TYPE_CHECKING:
    from rich.live import Live

    from weaklink.collect.monitor.sinks import Sinks

LINES_LEFT = 6
"""Lines of a terminal that the standing of the runs leaves free."""


class Screen:
    """Shows events, posts the alarms among them, and remembers what the exit code depends on."""

    def __init__(self, format: Format, output: str, webhook: str) -> None:
        self._json = format is Format.JSON
        self._out = Output(output, document=self._json)
        self._sinks = _posting_to(webhook) if webhook else None
        self._live: Live | None = None
        self._worst: Level | None = None
        self._unreadable = False

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
        for event in events:
            self._take(event)
            if self._json:
                from weaklink.show.watch_data import line

                self._out.write(line(event))
            else:
                self._show(event)

    @property
    def closed(self) -> bool:
        """Whether nobody reads what is shown any more."""
        return self._out.closed

    def stand(self, statuses: Sequence[Status]) -> None:
        """Shows anew how the runs stand, where a person is watching."""
        if self._live is None or not statuses:
            return
        from weaklink.show.watch_terminal import standing

        room = max(shutil.get_terminal_size().lines - LINES_LEFT, 1)
        page = standing(statuses, room, self._out.page())
        self._live.update(page.coloured(), refresh=True)

    def close(self) -> None:
        """Waits a moment for what is still to be posted."""
        if self._sinks is not None:
            self._sinks.close()

    def exit_code(self, fail_on: FailOn) -> int:
        """Findings win over unreadable runs; only the last verdicts count."""
        if fail_on is not FailOn.NEVER and self._worst is not None and self._worst >= Level[fail_on.name]:
            return FINDINGS
        return BAD_INPUT if self._unreadable else 0

    def _take(self, event: Event) -> None:
        finding, diagnosis = event.finding, event.diagnosis
        alarm = event.kind is Kind.FINDING and finding is not None and finding.severity >= Level.WARN
        if alarm and finding is not None and self._sinks is not None:
            self._sinks.tell(finding, event.target)
        if event.kind is not Kind.VERDICT:
            return
        if diagnosis is None:
            self._unreadable = True
        elif diagnosis.worst is not None:
            self._worst = max(self._worst or Level.INFO, diagnosis.worst)

    def _show(self, event: Event) -> None:
        from weaklink.show.watch_terminal import told

        page = told(event, self._out.page())
        if self._live is None:
            self._out.show(page)
        else:
            self._live.console.print(page.coloured(), end="", soft_wrap=True)


def _posting_to(webhook: str) -> Sinks:
    from weaklink.collect.monitor.sinks import Sinks, Webhook

    return Sinks([Webhook(webhook)], complain)


def check_watched_output(output: str, paths: Sequence[str]) -> None:
    """Refuses to write events into what is followed: they would be read as a log, or over one."""
    check_output(output, paths, ())
    if output and any(Path(output).resolve().is_relative_to(Path(path).resolve()) for path in paths):
        raise UsageError(f"Cannot write {output}: it lies in what is followed. Name a file outside of it.")
