"""What the system knows of a process: the memory that it holds, what it has used of a core, whether it is held up."""

from __future__ import annotations

import os
from pathlib import Path

HELD_UP = "RDT"
"""States of a process that does not wait of its own accord: it wants to run, it waits for a disk, it was stopped."""


def read_resident_memory(process: int | str) -> int:
    """The bytes that a process holds in memory; 0 where that cannot be known."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError, AttributeError):
        return 0


def read_activity(process: int) -> tuple[bool, float]:
    """Whether a process is held up, and the seconds of a core that it used; False where that cannot be known."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return fields[0] in HELD_UP, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError, AttributeError):
        return False, 0.0
