"""Loading a framework: garbage is hardly searched for meanwhile, which would take a fifth of the time."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

APART = 100_000
"""New objects between two searches; modules are loaded to stay, and leave few cycles behind."""


@contextlib.contextmanager
def collect_rarely() -> Iterator[None]:
    """What is loaded inside may set its own limits, which then stay."""
    before = gc.get_threshold()
    ours = max(APART, before[0]) if before[0] else 0  # 0: nothing is searched for at all
    gc.set_threshold(ours, *before[1:])
    try:
        yield
    finally:
        if gc.get_threshold()[0] == ours:
            gc.set_threshold(*before)
