"""What a script must not notice of its watching: frames in its tracebacks, methods that only pass on."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

OURS = str(Path(__file__).resolve().parents[2])
"""The folder of weaklink."""


def call_first(owner: type, method: str, tell: Callable[..., object]) -> None:
    """Has a function called with the arguments of a method, each time before the method itself."""
    inner = getattr(owner, method)

    @functools.wraps(inner)
    def told(*given: Any, **named: Any) -> Any:
        tell(*given, **named)
        return inner(*given, **named)

    setattr(owner, method, told)


def hide_frames() -> None:
    """Leaves our frames out where the script's own end is told, so that a traceback reads as it does without us."""
    show = sys.excepthook

    def show_without_frames(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        for each in list_chain(error):
            each.__traceback__ = drop_frames(each.__traceback__, last=isinstance(each, KeyboardInterrupt))
        show(kind, error, error.__traceback__)

    sys.excepthook = show_without_frames


def list_chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and all that led to it, each once."""
    waiting, seen = [error], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting.extend(each for each in (one.__cause__, one.__context__) if each is not None)


def drop_frames(trace: TracebackType | None, *, last: bool = False) -> TracebackType | None:
    """A traceback without frames of ours that the script's code follows; where we failed ourselves, they stay.

    Args:
        trace: of the exception.
        last: leave out those at the end too: it came from outside, and found us at work by chance.
    """
    kept: TracebackType | None = None
    theirs = last
    for frame in reversed(list(_list_frames(trace))):
        ours = frame.tb_frame.f_code.co_filename.startswith(OURS)
        if ours and theirs:
            continue
        theirs = theirs or not ours
        frame.tb_next = kept
        kept = frame
    return kept


def _list_frames(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next
