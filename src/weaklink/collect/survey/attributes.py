"""The numbers that an environment holds in its own attributes, found once and read again after every step.

Nothing is called: no property, no method of the environment's classes. What is read stands in `vars` of the environment
and of plain objects of its own package, and in lists, tuples and dicts of these, two levels deep.
"""

from __future__ import annotations

import copy
import math
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array

WIDEST = 64
"""Numbers of one attribute; what is wider is a map, a picture or a table."""

MOST_COLUMNS = 256
MOST_PARTS = 64
"""Parts of one object or container that are looked at."""

MOST_DESCRIBED = 10_000
"""Parts that are compared of something large."""

DEEPEST = 2
NO_STATE = frozenset({"observation_space", "action_space", "spec", "metadata", "reward_range", "_np_random_seed"})
"""Attributes of every environment that say something about it."""

SIMULATED = ("qpos", "qvel")
"""What is read of the data of a MuJoCo simulation: positions and velocities, from which all else follows."""


class HeldAttribute(NamedTuple):
    """One attribute: the object or container that holds it is found by the keys of `path`, from the environment on."""

    path: tuple[tuple[bool, Any], ...]
    name: str
    size: int
    is_array: bool

    def find_holder(self, environment: object) -> Any:
        """What the attribute is kept in."""
        holder: Any = environment
        for is_attribute, key in self.path[:-1]:
            holder = _look_up(holder, is_attribute, key)
        return holder

    def take(self, environment: object) -> Any:
        """A copy of what the attribute is now."""
        return copy.deepcopy(_look_up(self.find_holder(environment), *self.path[-1]))

    def read(self, environment: object) -> list[float] | None:
        """Its numbers now; None where it has others than when it was found."""
        try:
            row = _flatten(_look_up(self.find_holder(environment), *self.path[-1]))
        except Exception:  # what was there has gone
            return None
        return row if row is not None and len(row) == self.size else None

    def put(self, environment: object, value: Any) -> bool:
        """Gives it another value; whether it has it then."""
        holder = self.find_holder(environment)
        is_attribute, key = self.path[-1]
        there = _look_up(holder, is_attribute, key)
        if isinstance(there, np.ndarray) and there.shape == np.shape(value) and there.flags.writeable:
            there[...] = value
        elif is_attribute:
            setattr(holder, key, value)
        else:
            holder[key] = value
        return self.read(environment) == _flatten(value)


def find_attributes(environment: object) -> list[HeldAttribute]:
    """The attributes of an environment that are numbers, in the order in which they stand there.

    An attribute with too many numbers inside, at whatever depth, is left out as a whole.
    """
    parts: dict[Any, list[HeldAttribute]] = {}
    for attribute in _walk(environment, (), "", _name_package(environment), {id(environment)}):
        parts.setdefault(attribute.path[0], []).append(attribute)
    found: list[HeldAttribute] = []
    for each in parts.values():
        if sum(one.size for one in each) <= WIDEST and sum(one.size for one in found) <= MOST_COLUMNS - WIDEST:
            found += each
    return found


def read_attributes(environment: object, attributes: list[HeldAttribute]) -> Array:
    """A row with all their numbers; NaN where an attribute has none now."""
    row: list[float] = []
    for attribute in attributes:
        row += attribute.read(environment) or [math.nan] * attribute.size
    return np.array(row)


def describe_larger(environment: object, largest: int) -> dict[str, bytes]:
    """What an environment holds beside small attributes, as bytes to compare: maps, tables, lists of things."""
    package, found = _name_package(environment), dict[str, bytes]()
    for _, key, value in _list_parts(environment):
        row = _flatten(value)
        if row is None or len(row) > largest:
            found[str(key)] = _describe(value, package, 0, iter(range(MOST_DESCRIBED)))
    return {key: text for key, text in found.items() if text}


def _describe(value: Any, package: str, depth: int, left: Iterator[int]) -> bytes:
    """A value as bytes that are the same where it is; nothing of what is too deep, too much or of another package."""
    if next(left, None) is None:
        return b""
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype.kind in "biuf" else b""
    if value is None or isinstance(value, bool | int | float | str | np.number | np.bool_):
        return repr(value).encode() if depth else b""
    if depth > DEEPEST + 1 or _is_simulation(value):
        return b""
    if isinstance(value, set | frozenset):
        return b"{" + b",".join(sorted(_describe(part, package, depth + 1, left) for part in value)) + b"}"
    if not _is_plain(value, package):
        return b""
    parts = (_describe(part, package, depth + 1, left) for _, _, part in _list_parts(value, MOST_DESCRIBED))
    return b"(" + b",".join(parts) + b")"


def _walk(
    thing: object, path: tuple[tuple[bool, Any], ...], name: str, package: str, known: set[int]
) -> Iterator[HeldAttribute]:
    for is_attribute, key, value in _list_parts(thing):
        here = (*path, (is_attribute, key))
        called = f"{name}.{key}" if is_attribute and name else str(key) if is_attribute else f"{name}[{key!r}]"
        row = _flatten(value)
        if row:
            yield HeldAttribute(here, called, len(row), isinstance(value, np.ndarray))
        elif row is None and len(here) <= DEEPEST and id(value) not in known and _is_plain(value, package):
            known.add(id(value))
            yield from _walk(value, here, called, package, known)


def _list_parts(thing: object, most: int = MOST_PARTS) -> Iterator[tuple[bool, Any, Any]]:
    """The parts of an object or of a container: whether it is an attribute, its name or key, its value."""
    if _is_simulation(thing):
        yield from ((True, key, getattr(thing, key)) for key in SIMULATED)
    elif isinstance(thing, dict):
        yield from ((False, key, value) for key, value in list(thing.items())[:most])
    elif isinstance(thing, list | tuple | deque):
        yield from ((False, place, value) for place, value in enumerate(list(thing)[:most]))
    else:
        attributes = list(getattr(thing, "__dict__", {}).items())[:most]
        yield from ((True, key, value) for key, value in attributes if key not in NO_STATE and not key.startswith("__"))


def _is_plain(value: object, package: str) -> bool:
    """Whether what is inside is looked at: containers, and objects of the package that the environment is from."""
    if isinstance(value, dict | list | tuple | deque) or _is_simulation(value):
        return True
    if isinstance(value, type) or callable(value):
        return False
    return hasattr(value, "__dict__") and _name_package(value) in (package, "types")


def _is_simulation(value: object) -> bool:
    return type(value).__name__ == "MjData" and _name_package(value) == "mujoco"


def _name_package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def _look_up(holder: Any, is_attribute: bool, key: Any) -> Any:
    if not is_attribute:
        return holder[key]
    held = getattr(holder, "__dict__", None)
    return held[key] if held is not None and key in held else getattr(holder, key)


def _flatten(value: object, depth: int = 0) -> list[float] | None:
    """The numbers of a value in a row; None where it holds anything else or too many."""
    if isinstance(value, bool | int | float | np.number | np.bool_):
        return [_convert(value)]
    if isinstance(value, np.ndarray):
        return value.ravel().astype(float).tolist() if value.dtype.kind in "biuf" and value.size <= WIDEST else None
    if not isinstance(value, list | tuple | deque) or depth > 1 or not 0 < len(value) <= WIDEST:
        return None
    row: list[float] = []
    for part in value:
        numbers = _flatten(part, depth + 1)
        if not numbers or len(row) + len(numbers) > WIDEST:
            return None
        row += numbers
    return row


def _convert(value: Any) -> float:
    try:
        return float(value)
    except (OverflowError, TypeError):  # a whole number beyond any float, a complex one
        return math.nan
