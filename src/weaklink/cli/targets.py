"""From the paths on the command line to judged runs, one at a time; a bad one never hides the others."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from weaklink.diagnosis.diagnosis import Diagnosis
from weaklink.diagnosis.engine import diagnose
from weaklink.diagnosis.settings import Settings
from weaklink.errors import EmptyLog, WeaklinkError
from weaklink.evidence.run import Run
from weaklink.readers import discover, read_text
from weaklink.views.fleet import Failure

STANDARD_INPUT = "-"


class Judged(msgspec.Struct, frozen=True):
    """A run and what is wrong with it."""

    run: Run
    diagnosis: Diagnosis


class Target(msgspec.Struct, frozen=True):
    """Something that holds runs, not read yet."""

    name: str
    read: Callable[[], list[Run]]


def found(paths: Iterable[str]) -> tuple[list[Target], list[Failure]]:
    """What the paths hold, and the paths that hold nothing that could be read."""
    targets: list[Target] = []
    failures: list[Failure] = []
    for path in paths:
        if path == STANDARD_INPUT:
            targets.append(Target("standard input", lambda: [read_text(_standard_input())]))
            continue
        try:
            targets.extend(Target(str(each.source), each.read) for each in discover(path))
        except Exception as error:
            failures.append(_failure(path, error))
    return targets, failures


def judged(targets: Iterable[Target], settings: Settings) -> Iterator[Judged | Failure]:
    """Reads and judges each target in its turn."""
    for target in targets:
        try:
            runs = target.read()
        except Exception as error:
            yield _failure(target.name, error)
            continue
        for run in runs:
            try:
                yield Judged(run, diagnose(run, settings))
            except Exception as error:
                yield _failure(run.source or target.name, error)


def watched(targets: Sequence[Target], *, show: bool) -> Iterator[Target]:
    """The targets one by one, with a bar on standard error where there are many and a person is watching."""
    if not show or len(targets) < 2 or not sys.stderr.isatty():
        yield from targets
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with Progress(console=console, transient=True, redirect_stdout=False, redirect_stderr=False) as bar:
        task = bar.add_task("reading", total=len(targets))
        for target in targets:
            yield target
            bar.advance(task)


def _failure(target: str, error: Exception) -> Failure:
    """Why a target could not be judged; a fault of weaklink itself is called by its name."""
    if os.environ.get("WEAKLINK_TRACEBACK"):
        raise error
    if isinstance(error, WeaklinkError):
        return Failure(target, str(error))
    if isinstance(error, OSError):
        return Failure(target, f"Cannot read {target}: {error.strerror or error}.")
    fault = f"{type(error).__name__}: {error}"
    return Failure(
        target,
        f"Could not judge {target}, by a fault of weaklink itself ({fault}). Please report it with what "
        f"WEAKLINK_TRACEBACK=1 weaklink diagnose {target} prints.",
    )


def _standard_input() -> str:
    if sys.stdin is not None and sys.stdin.isatty():
        print("weaklink: paste a log, then end it with Ctrl-D", file=sys.stderr)
    content = sys.stdin.buffer.read() if sys.stdin is not None else b""
    if not content.strip():
        raise EmptyLog("Nothing came on standard input. Pipe a log into it: `weaklink diagnose - < train.log`.")
    return content.decode("utf-8", "replace")
