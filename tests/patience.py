"""A limit on time that says one thing only: it did not hang."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE = 180.0
"""Far above what anything takes on a busy machine."""


@contextmanager
def no_hang(seconds: float = PATIENCE) -> Iterator[None]:
    """What is done inside comes to an end; how soon depends on the machine, which others may use too."""
    began = time.monotonic()
    yield
    assert time.monotonic() - began < seconds, "it hung"
