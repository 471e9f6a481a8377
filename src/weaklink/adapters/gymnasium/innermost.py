"""The environment inside all wrappers, and its numbers: gravity, the size of a goal, a weight in the reward."""

from __future__ import annotations

from contextlib import suppress
from inspect import signature
from typing import Any

import numpy as np


def find_innermost(env: Any) -> Any:
    """The environment inside all wrappers; of a vector, that of its first member; itself where it does not say."""
    with suppress(Exception):  # properties of a stranger's class may raise whatever they like
        inner = getattr(env, "unwrapped", env)
        members = getattr(inner, "envs", None)
        return getattr(members[0], "unwrapped", members[0]) if isinstance(members, list | tuple) and members else inner
    return env


ASIDE = (
    "seed", "rank", "index", "worker", "port", "render", "verbose", "record", "debug", "log", "headless", "visual",
    "display", "train", "test", "eval", "mode", "copy",
)  # fmt: skip
"""Parts of the names of arguments that differ from one environment to another and change no task."""


def read_numbers(env: Any) -> dict[str, float]:
    """The real numbers that the innermost environment has as attributes, and what it was made with, by name.

    Whole numbers and switches count only among the latter, as arguments that are known or as attributes with the name
    of one: as other attributes they are counters, numbers of workers and states, too.
    """
    found: dict[str, float] = {}
    with suppress(Exception):
        inner = find_innermost(env)
        name = type(inner).__name__
        made = dict(getattr(getattr(inner, "spec", None), "kwargs", None) or {})
        found |= {f"{name}({key}=)": float(each) for key, each in made.items() if _is_of_task(key, each)}
        known = _list_arguments(type(inner))
        found |= {
            f"{name}.{key}": float(each)
            for key, each in vars(inner).items()
            if isinstance(each, float | np.floating) or (key.strip("_") in known and _is_of_task(key, each))
        }
    return found


def _list_arguments(kind: type) -> frozenset[str]:
    """The names of what an environment of this class is made with; none where it does not say."""
    with suppress(Exception):
        return frozenset(signature(kind).parameters)
    return frozenset()


def _is_of_task(name: str, value: object) -> bool:
    """Whether an argument is a number or a switch that the task depends on, as far as its name tells."""
    number = isinstance(value, int | float | np.integer | np.floating | np.bool_)
    return number and not any(part in name.lower() for part in ASIDE)
