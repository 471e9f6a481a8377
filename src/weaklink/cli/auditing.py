"""What `weaklink audit` was asked for, checked, carried out and shown."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from weaklink.base.errors import UsageError
from weaklink.cli.options import INTERRUPTED, FailOn, Format
from weaklink.cli.output import Output, complain
from weaklink.cli.probing import exit_code
from weaklink.cli.progress import rows_read
from weaklink.judge.diagnosis.settings import Settings
from weaklink.verbs.audit import audit


@dataclass(frozen=True)
class Asked:
    """What to audit, as the options say it; empty where nothing was given."""

    samples: str = ""
    run: str = ""
    baseline: str = ""
    verifier: str = ""
    cases: str = ""
    style: str = "auto"
    seconds: float = 60.0
    seed: int = 0
    output: str = ""


def carried_out(asked: Asked, settings: Settings, format: Format, out: Output, fail_on: FailOn) -> int:
    """Audits and shows; the exit code."""
    _check(asked)
    with rows_read() as report:
        result = audit(
            asked.samples or None,
            run=asked.run or None,
            baseline=asked.baseline or None,
            verifier=asked.verifier or None,
            cases=asked.cases or None,
            style=asked.style,
            seconds=asked.seconds,
            seed=asked.seed,
            settings=settings,
            report=report,
            stoppable=interrupts,
        )
    out.show(result, format)
    if result.stopped:
        complain("stopped; what was read until then has been judged.")
        return INTERRUPTED
    return exit_code(result.diagnosis, fail_on)


def _check(asked: Asked) -> None:
    if asked.seed < 0:
        raise UsageError(f"--seed must be at least 0, not {asked.seed}.")
    if not 1.0 <= asked.seconds <= 86_400.0:
        raise UsageError(f"--seconds must be from 1 to 86400, not {asked.seconds:g}.")
    if not asked.verifier and asked.style != "auto":
        raise UsageError(f"--style {asked.style} is for trying a verifier: add --verifier module:function.")
    for given in (asked.samples, asked.run, asked.baseline, asked.cases):
        if asked.output and given and os.path.exists(asked.output) and os.path.samefile(asked.output, given):
            raise UsageError(f"--output {asked.output} would overwrite what is to be read. Name another file.")


@contextlib.contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """A function that says whether Ctrl-C was pressed; pressed once more, it ends the program as ever."""
    pressed: list[int] = []

    def note(number: int, frame: Any) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # only the main thread hears signals
        yield lambda: False
        return
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)
