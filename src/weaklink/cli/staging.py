"""How far a case is: a line for each stage on standard error where a person is watching, silence in a pipe."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from weaklink.show.layout import TerminalSheet
from weaklink.show.subjects.case import write_stage
from weaklink.verbs.debug.case import ASKS, StageResult
from weaklink.verbs.debug.listening import SilentListener, StageListener

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress


@contextlib.contextmanager
def show_stages() -> Iterator[StageListener]:
    """Who is told of the stages."""
    if not sys.stderr.isatty():
        yield SilentListener()
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        yield StageBars(bar, console)


class StageBars:
    """A bar for the stage that is under way, and a line for each that has ended."""

    def __init__(self, bar: Progress, console: Console) -> None:
        self._bar, self._console = bar, console
        self._task = bar.add_task("starting", total=None)
        self._stage, self._seconds, self._began = "", 0.0, time.monotonic()

    def begins(self, stage: str, seconds: float) -> None:
        """A stage begins."""
        self._stage, self._seconds, self._began = stage, seconds, time.monotonic()
        self._bar.reset(self._task, total=seconds or None, description=f"{stage}: {ASKS[stage]}")

    def doing(self, what: str) -> None:
        """What is being done."""
        spent = min(time.monotonic() - self._began, self._seconds)
        told = f"{self._stage}: {what}" if self._stage else what
        self._bar.update(self._task, completed=spent, description=told)

    def ended(self, result: StageResult) -> None:
        """A stage has ended."""
        sheet = TerminalSheet(min(self._console.width, 100), unicode=self._console.encoding.startswith("utf"))
        write_stage(result, sheet)
        self._console.print(sheet.coloured(), end="", soft_wrap=True)
