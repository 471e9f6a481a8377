"""Who hears the environments of this process. A module of its own, for methods that are pickled refer to it by name:
in another process nobody listens, and they are what they were."""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable
from typing import Any

inside: set[int] = set()
"""Threads in which a method of an environment is under way: what it calls is not the trainer's call."""

recorders: list[Any] = []
taken: dict[tuple[type, str], Any] = {}


def refer_to(env: Any) -> Callable[[], Any]:
    """Gives the environment as long as it lives; one that cannot be referred to weakly is kept."""
    try:
        return weakref.ref(env)
    except TypeError:
        return lambda: env


def _forget_all() -> None:
    recorders.clear()
    inside.clear()


os.register_at_fork(after_in_child=_forget_all)
