"""Work of weaklink itself on the user's networks, told apart from the training's."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator


class OwnWork(threading.local):
    """How many pieces of own work are under way in this thread."""

    depth = 0


_own = OwnWork()


@contextlib.contextmanager
def mark_own_work() -> Iterator[None]:
    """What networks answer and optimizers do inside is no part of the training."""
    _own.depth += 1
    try:
        yield
    finally:
        _own.depth -= 1


def is_own_work() -> bool:
    """Whether this thread works for weaklink at the moment."""
    return _own.depth > 0
