"""A fault of weaklink itself, in one line."""

from __future__ import annotations

import os
import traceback
from pathlib import Path

TRACEBACK = "WEAKLINK_TRACEBACK"
"""The environment variable that asks for the traceback of a fault of our own."""

MOST_SHOWN = 300
"""Characters of a fault: an exception can quote a whole file."""


def describe_own_fault(fault: BaseException) -> str:
    """What failed and where; the traceback goes to standard error where it is asked for."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(fault)
    if isinstance(fault, MemoryError):
        return "the memory is used up. Give weaklink a smaller log, or more memory."
    frame = traceback.extract_tb(fault.__traceback__)[-1]
    what = " ".join(f"{type(fault).__name__}: {fault}".split())[:MOST_SHOWN]
    return (
        f"a fault of weaklink itself, not of your training: {what} (in {frame.name}, {Path(frame.filename).name}:"
        f"{frame.lineno}). Please report it; {TRACEBACK}=1 before the command shows the whole traceback."
    )
