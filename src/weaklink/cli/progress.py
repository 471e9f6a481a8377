"""How far a long piece of work is: a bar on standard error where a person is watching, silence in a pipe."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from weaklink.verbs.targets import Counted

Target = TypeVar("Target")


@contextlib.contextmanager
def show_progress(seconds: float | None) -> Iterator[Callable[[str, int], None] | None]:
    """A function to tell what is being done and how many steps were made; None where nobody is watching or waits."""
    if seconds is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("starting", total=seconds)
        began = time.monotonic()

        def tell(stage: str, steps: int) -> None:
            elapsed = min(time.monotonic() - began, seconds)
            bar.update(task, completed=elapsed, description=f"{stage}, {steps:,} steps")

        yield tell


@contextlib.contextmanager
def _show_spinner() -> Iterator[Callable[[str], None] | None]:
    """A function to tell what is being done; None where nobody is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("starting", total=None)
        yield lambda text: bar.update(task, description=text)


@contextlib.contextmanager
def show_counted() -> Iterator[Callable[[str, int, int], None] | None]:
    """A function to tell what is being done, how many parts are done and how many were begun."""
    with _show_spinner() as say:
        yield None if say is None else lambda stage, done, begun: say(f"{stage}, {done} trainings done")


@contextlib.contextmanager
def show_rows_read() -> Iterator[Callable[[str, int], None] | None]:
    """A function to tell what is being read and how many rows were."""
    with _show_spinner() as say:
        yield None if say is None else lambda stage, rows: say(f"reading {stage}, {rows:,} rows")


def iterate_targets(targets: Counted[Target]) -> Iterator[Target]:
    """The targets one by one, with a bar on standard error where there are many and a person is watching."""
    if len(targets) < 2 or not sys.stderr.isatty():
        yield from targets
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("reading", total=len(targets))
        for target in targets:
            yield target
            bar.advance(task)
