"""Objects inside of a row: their fields are taken as fields of the row itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.collect.readers.samples.names import NESTED, find_field, is_grade

DEEPEST = 3
"""Objects within each other that are looked into."""

AMBIGUOUS = frozenset(("score", "scores", "return", "total", "value", "rating", "grade", "overall"))
"""Names that say a number was given, and not for what: the name of the object around them says that."""

KEPT = frozenset((
    "reward", "rewards", "initial_state", "final_state", "expected_state", "allowed_tools", "prompt", "messages",
    "completion", "reward_weights", "component_weights", "reward_coefficients", "reward_coefs", "weights",
))  # fmt: skip
"""Fields that may be objects themselves."""


def is_nested(row: Mapping[str, Any]) -> bool:
    """Whether an object of the row holds fields that would not be looked for there."""
    return any(map(_is_container, row, row.values()))


def flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the fields of its objects beside its own; what it says itself comes first.

    A field keeps its name where that says what it is, and gets the name of its object before it where it does not:
    the `score` in `judge` is a `judge_score`, that in `toxicity` a `toxicity_score`.
    """
    flat = {name: value for name, value in row.items() if not _is_container(name, value)}
    known = {find_field(name) or name for name in flat}
    for name, value in _list_inner(row):
        field = find_field(name) or name
        if field not in known:
            flat[name] = value
            known.add(field)
    return flat


def _is_container(name: object, value: object) -> bool:
    """Whether a value is an object that is no field by itself."""
    if not isinstance(value, dict) or not value or not isinstance(name, str):
        return False
    if name in NESTED:
        return any(isinstance(inner, str) and _is_foreign(inner) for inner in value)
    return (find_field(name) or name) not in KEPT


def _is_foreign(name: str) -> bool:
    """Whether a field in an object of more fields is a body, a prompt, a reward or a clock, which need their place."""
    return find_field(name) in ("completion", "messages", "steps", "prompt", "reward", "rewards") or name == "iter"


def _list_inner(row: Mapping[str, Any], outer: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """The fields of the objects of a row with the names that they get."""
    for name, value in row.items():
        if depth and _is_container(name, value):
            yield from _list_inner(value, name, depth - 1)
        elif outer:
            yield _name_inner(outer, name), value


def _name_inner(outer: str, name: str) -> str:
    joined = f"{outer}_{name}"
    if name in AMBIGUOUS:
        return joined if not is_grade(joined) else f"{outer}_score"
    return name if find_field(name) is not None else joined
