"""All planted faults: `make(fault, base)`, or `tests.quality.worlds.faults:dead_column__CartPole_v1` from outside.

Each fault is a few lines on top of a real environment, as a user would write them by mistake, with the code under
which a survey ought to find it. The names of the attributes are made when asked for, so that another process can build
any of them from its name alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.quality.worlds import action, contract, environment, hidden, observation, reward, task, vectors
from tests.quality.worlds.planted import FAULTS, Fault

PARTS = (contract, environment, vectors, observation, hidden, action, reward, task)
HERE = "tests.quality.worlds"


def make(fault: str, base: str) -> Any:
    """The base with the fault in it."""
    return FAULTS[fault].made(base)


def pairs() -> Iterator[tuple[Fault, str]]:
    """Every fault with every base that it is planted in."""
    for fault in FAULTS.values():
        for base in fault.bases:
            yield fault, base


def attribute(fault: str, base: str) -> str:
    """The name under which this module has the pair."""
    return f"{fault}__{re.sub(r'[^0-9A-Za-z]', '_', base)}"


def spelled(fault: str, base: str) -> str:
    """The pair as `module:factory`."""
    return f"{HERE}.faults:{attribute(fault, base)}"


def __getattr__(name: str) -> Callable[[], Any]:
    fault, found, place = name.partition("__")
    if found and fault in FAULTS:
        for base in FAULTS[fault].bases:
            if attribute(fault, base) == name:
                return partial(make, fault, base)
    raise AttributeError(f"no fault is called {name} ({place or 'no base'})")
