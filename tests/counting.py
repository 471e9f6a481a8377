"""What a call costs, counted and not timed: the same number on every machine, busy or not."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def count_lines(call: Callable[[], object]) -> int:
    """How many lines of Python a call runs, those of libraries among them; work inside of numpy counts as one line.

    A loop over a million numbers runs more than a million lines, arithmetic on an array of them a few.
    """
    lines = 0

    def count(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal lines
        lines += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        call()
    finally:
        sys.settrace(before)
    return lines
