"""What completions that are objects hold, beside the object that is right: fields that they leave empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

LONGEST = 20_000
"""Characters of an object that is read."""
FEWEST_FIELDS = 2
NOTHING = frozenset(
    ("", "null", "none", "n/a", "na", "nan", "unknown", "not available", "not specified", "-", "?", "tbd")
)
"""Texts that hold no value, in small letters."""


def measure_empty_fields(text: str, reference: str) -> float | None:
    """The share of the fields that the right object fills and this one has, and leaves empty.

    None where one of the two is no object, or too few fields are filled.
    """
    right, given = _read_object(reference), _read_object(_take_object(text))
    if right is None or given is None:
        return None
    filled = [name for name, value in right.items() if not _is_empty(value) and name in given]
    if len(filled) < FEWEST_FIELDS:
        return None
    return sum(_is_empty(given[name]) for name in filled) / len(filled)


def _take_object(text: str) -> str:
    """From the first brace of a text to the last: words and a fence may stand around an object."""
    return text[text.find("{") : text.rfind("}") + 1]


def _read_object(text: str) -> Mapping[str, Any] | None:
    if text[:1] != "{" or len(text) > LONGEST:
        return None
    try:
        held = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return held if isinstance(held, dict) else None


def _is_empty(value: object) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in NOTHING
    return value is None or value in ([], {})
