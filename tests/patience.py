"""A limit on time that says one thing only: it did not hang. What has to have happened is waited for, not slept for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 180.0
"""Far above what anything takes on a busy machine."""


@contextmanager
def no_hang(seconds: float = PATIENCE) -> Iterator[None]:
    """What is done inside comes to an end; how soon depends on the machine, which others may use too."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds, "it hung"


def wait_until(condition: Callable[[], object]) -> None:
    """Comes back as soon as it is so."""
    with no_hang():
        ends = time.monotonic() + PATIENCE
        while not condition() and time.monotonic() < ends:
            time.sleep(0.02)


def wait_for_turns(process: int, turns: int = 30) -> None:
    """Comes back when a process that waits again and again has done so often: what lay ready for it, it has taken."""
    before = _count_turns(process)
    wait_until(lambda: _count_turns(process) >= before + turns)


def _count_turns(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
