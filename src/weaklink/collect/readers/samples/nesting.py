"""Objects inside of a row: their fields are taken as fields of the row itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.collect.readers.samples.chat import is_chat
from weaklink.collect.readers.samples.names import NESTED, find_component, find_field, is_grade

DEEPEST = 3
"""Objects within each other that are looked into."""

AMBIGUOUS = frozenset(("score", "scores", "return", "total", "value", "rating", "grade", "overall"))
"""Names that say a number was given, and not for what: the name of the object around them says that."""

KEPT = frozenset((
    "reward", "rewards", "initial_state", "final_state", "expected_state", "allowed_tools", "prompt", "messages",
    "completion", "reward_weights", "component_weights", "reward_coefficients", "reward_coefs", "weights",
))  # fmt: skip
"""Fields that may be objects themselves."""

PARTS = frozenset((
    "completion", "prompt", "messages", "steps", "step", "policy_version", "group", "id", "answer", "advantage", "kl",
    "entropy", "response_len", "finish_reason",
))  # fmt: skip
"""Fields of a sample that no grader has: an object with one of these is the row or a part of it."""


TEXTS = frozenset(("completion", "prompt", "chosen", "rejected"))
"""Fields that are texts: an object under the name of one stands for it."""

PLAIN = ("text", "content", "value")
"""Names of the text in an object that says by its own name what the text is."""

SPOKEN = frozenset(("role", "from"))
"""Names that say who wrote a message."""

LENGTHS = frozenset(("tokens", "length", "len"))
"""Names that say, in the object of a completion, how long that is."""


def is_nested(row: Mapping[str, Any]) -> bool:
    """Whether an object of the row holds fields that would not be looked for there."""
    return any(_is_container(*one) or _stands_for_text(*one) for one in row.items()) or any(map(_is_path, row))


def flatten(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the fields of its objects beside its own; what it says itself comes first.

    A field keeps its name where that says what it is, and gets the name of its object before it where it does not:
    the `score` in `judge` is a `judge_score`, that in `toxicity` a `toxicity_score`. In an object that is the row, or a
    part of it, every field keeps its name.
    """
    row = _unfold(row)
    flat = {name: value for name, value in row.items() if not _is_container(name, value)}
    known = {find_field(name) or name for name in flat}
    for name, value in _list_inner(row):
        field = find_field(name) or name
        if field not in known:
            flat[name] = value
            known.add(field)
    return _put_texts(flat)


def _put_texts(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the text in place of each object that stands for one, and the rest of the object beside it."""
    standing = [name for name, value in row.items() if _stands_for_text(name, value)]
    beside: dict[str, Any] = {}
    for name in standing:
        held = row[name]
        if _is_message(held):
            row[name] = [held]
            continue
        text = _find_text(name, held)
        row[name] = held[text]
        beside |= {_name_beside(name, inner, value): value for inner, value in held.items() if inner != text}
    known = {find_field(name) or name for name in row}
    return row | {name: value for name, value in beside.items() if (find_field(name) or name) not in known}


def _stands_for_text(name: object, value: object) -> bool:
    """Whether an object stands under the name of a text and holds it, as a message or with what was counted of it."""
    if not isinstance(value, dict) or not isinstance(name, str) or name in NESTED or find_field(name) not in TEXTS:
        return False
    return _is_message(value) or bool(_find_text(name, value))


def _is_message(value: Mapping[str, Any]) -> bool:
    return not SPOKEN.isdisjoint(value) and is_chat([value])


def _find_text(name: str, held: Mapping[str, Any]) -> str:
    """The entry of an object that is the text it stands for; empty where there is none."""
    field = find_field(name)
    named = (inner for inner in held if isinstance(inner, str) and (inner in PLAIN or find_field(inner) == field))
    return next((inner for inner in named if isinstance(held[inner], str)), "")


def _name_beside(name: str, inner: str, value: object) -> str:
    counted = inner in LENGTHS and isinstance(value, int | float) and find_field(name) == "completion"
    return "response_len" if counted else _name_inner(name, inner)


def _is_path(name: object) -> bool:
    """Whether a name is the way to a field in an object, as tables write it: `scores.total`."""
    return isinstance(name, str) and "." in name.strip(".") and not (find_field(name) or find_component(name))


def _unfold(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row with objects where names are ways to their fields."""
    if not any(map(_is_path, row)):
        return row
    unfolded = {name: value for name, value in row.items() if not _is_path(name)}
    for name in filter(_is_path, row):
        outer, _, inner = name.rpartition(".")
        held = unfolded.setdefault(outer, {})
        if isinstance(held, dict):
            unfolded[outer] = {**held, inner: row[name]}
    return unfolded


def _is_container(name: object, value: object) -> bool:
    """Whether a value is an object that is no field by itself."""
    if not isinstance(value, dict) or not value or not isinstance(name, str):
        return False
    if name in NESTED:
        return any(isinstance(inner, str) and _is_foreign(inner) for inner in value)
    if _is_reference(name, value):
        return False
    return (find_field(name) or name) not in KEPT and not _stands_for_text(name, value)


def _is_reference(name: str, value: Mapping[str, Any]) -> bool:
    """Whether an object is the right answer itself, such as a record to extract: none of its fields is a sample's."""
    return find_field(name) == "answer" and not any(isinstance(one, str) and find_field(one) for one in value)


def _is_foreign(name: str) -> bool:
    """Whether a field in an object of more fields is a body, a prompt, a reward or a clock, which need their place."""
    return find_field(name) in ("completion", "messages", "steps", "prompt", "reward", "rewards") or name == "iter"


def _list_inner(row: Mapping[str, Any], outer: str = "", depth: int = DEEPEST) -> Iterator[tuple[str, Any]]:
    """The fields of the objects of a row with the names that they get."""
    part = bool(outer) and _is_part(row)
    for name, value in row.items():
        if depth and _is_container(name, value):
            yield from _list_inner(value, name, depth - 1)
        elif outer:
            yield name if part else _name_inner(outer, name), value


def _is_part(row: Mapping[str, Any], depth: int = DEEPEST) -> bool:
    """Whether an object, or one in it, has a field of a sample that no grader has."""
    if any(isinstance(name, str) and find_field(name) in PARTS for name in row):
        return True
    return depth > 0 and any(isinstance(value, dict) and _is_part(value, depth - 1) for value in row.values())


def _name_inner(outer: str, name: str) -> str:
    joined = f"{outer}_{name}"
    if name in AMBIGUOUS:
        return joined if not is_grade(joined) else f"{outer}_score"
    return name if find_field(name) is not None else joined
