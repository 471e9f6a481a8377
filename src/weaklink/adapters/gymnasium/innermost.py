"""The environment inside all wrappers, and its numbers: gravity, the size of a goal, a weight in the reward."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np


def find_innermost(env: Any) -> Any:
    """The environment inside all wrappers; of a vector, that of its first member; itself where it does not say."""
    with suppress(Exception):  # properties of a stranger's class may raise whatever they like
        inner = getattr(env, "unwrapped", env)
        members = getattr(inner, "envs", None)
        return getattr(members[0], "unwrapped", members[0]) if isinstance(members, list | tuple) and members else inner
    return env


def read_numbers(env: Any) -> dict[str, float]:
    """The real numbers that the innermost environment has as attributes, and numbers that it was made with, by name.

    Whole numbers count only among the latter: as attributes they are counters and numbers of workers, too.
    """
    found: dict[str, float] = {}
    with suppress(Exception):
        inner = find_innermost(env)
        name = type(inner).__name__
        made = dict(getattr(getattr(inner, "spec", None), "kwargs", None) or {})
        found |= {f"{name}({key}=)": float(each) for key, each in made.items() if _is_number(each)}
        found |= {
            f"{name}.{key}": float(each) for key, each in vars(inner).items() if isinstance(each, float | np.floating)
        }
    return found


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
