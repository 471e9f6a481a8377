"""Rows that hold a whole group: each completion becomes a row of its own, with what belongs to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from weaklink.collect.readers.samples.chat import is_chat
from weaklink.collect.readers.samples.names import find_field
from weaklink.collect.readers.samples.steps import is_steps

MOST_COMPLETIONS = 4096
"""Completions of one row: more of them are no group."""

SINGULAR = {"rewards": "reward", "scores": "score"}
"""Names of lists whose single values need another name."""

_BODIES = ("completion", "messages", "steps")


def find_listed(row: Mapping[str, Any]) -> str:
    """The field that lists the completions of a group; empty where the row is one sample, or none.

    It is a list of objects with a completion in each, a list of conversations, or a list of texts beside which
    another list of the same length says something of each.
    """
    if any(find_field(name) in _BODIES and isinstance(value, str) for name, value in row.items()):
        return ""
    lists = {
        name: value for name, value in row.items() if isinstance(value, list) and 1 < len(value) < MOST_COMPLETIONS
    }
    inner = (name for name, value in lists.items() if _is_samples(value) or _is_chats(value))
    return next(inner, "") or next((name for name, value in lists.items() if _is_texts(name, value, lists)), "")


def list_completions(row: Mapping[str, Any], listed: str, place: int) -> Iterator[dict[str, Any]]:
    """The rows that a row of a group stands for."""
    values = row[listed]
    beside = {name: _find_parts(value, len(values)) for name, value in row.items() if name != listed}
    shared = {name: value for name, value in row.items() if name != listed and beside[name] is None}
    if not any(find_field(name) == "group" for name in shared):
        shared["group"] = f"row {place}"
    for index, value in enumerate(values):
        own = {SINGULAR.get(name, name): parts[index] for name, parts in beside.items() if parts is not None}
        body = value if isinstance(value, dict) else {"completion": value}
        yield {**shared, **own, **body}


def _is_samples(value: list[Any]) -> bool:
    """Whether all are objects with a completion, and no messages or steps."""
    if is_chat(value) or is_steps(value) or not all(isinstance(one, dict) for one in value):
        return False
    return all(any(find_field(name) in _BODIES for name in one if isinstance(name, str)) for one in value)


def _is_chats(value: list[Any]) -> bool:
    return all(map(is_chat, value))


def _is_texts(name: str, value: list[Any], lists: Mapping[str, list[Any]]) -> bool:
    """Whether a list of texts is a group: by its name, or since numbers beside it say something of each."""
    if find_field(name) not in ("completion", None) or not all(isinstance(one, str) for one in value):
        return False
    numbers = (other for other in lists.values() if all(isinstance(one, int | float) for one in other))
    return any(len(other) == len(value) for other in numbers)


def _find_parts(value: Any, count: int) -> list[Any] | None:
    """What a field says of each completion, where it lists as many things; components of rewards are turned round."""
    if isinstance(value, list) and len(value) == count and not is_chat(value):
        return value
    inner = value.values() if isinstance(value, dict) else ()
    if inner and all(isinstance(part, list) and len(part) == count for part in inner):
        return [{name: part[index] for name, part in value.items()} for index in range(count)]
    return None
