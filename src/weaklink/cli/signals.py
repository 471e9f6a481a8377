"""What ends a program from outside while a command runs: SIGTERM and a closed terminal do what Ctrl-C does."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType

from weaklink.cli.exit_status import INTERRUPTED

ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


@contextlib.contextmanager
def end_orderly() -> Iterator[Callable[[int], int]]:
    """While it lasts, such a signal interrupts as Ctrl-C does, so that what was found is shown and nothing is left.

    Gives a function from the exit code of a command to that of the program: 128 and the number of the signal, as shells
    have it, where the command was interrupted by one.
    """
    noted: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        for each in ENDING:  # one is enough: another must not cut the orderly end off
            signal.signal(each, signal.SIG_IGN)
        on_ctrl_c = signal.getsignal(signal.SIGINT)
        if callable(on_ctrl_c):
            on_ctrl_c(number, frame)
        else:  # a shell in the background has it ignored
            raise KeyboardInterrupt

    before = {}
    with contextlib.suppress(ValueError):  # only the main thread hears signals
        for each in ENDING:
            if signal.getsignal(each) is signal.SIG_DFL:  # nohup has one ignored
                before[each] = signal.signal(each, interrupt)
    try:
        yield lambda code: 128 + noted[0] if noted and code == INTERRUPTED else code
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
