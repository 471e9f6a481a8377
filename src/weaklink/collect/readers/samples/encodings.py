"""Texts that were decoded with the wrong character set: two characters or three for each accent."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_SECOND = (
    "[\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d"
    "\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]"
)
"""A later byte of a character in UTF-8, as Latin-1 or Windows-1252 reads it."""
_GARBLED = re.compile(f"[\u00c2\u00c3\u00c4\u00c5]{_SECOND}|\u00e2\u20ac{_SECOND}|\u00e2{_SECOND}{_SECOND}")
_FIRST = ("\u00c2", "\u00c3", "\u00c4", "\u00c5", "\u00e2")


def find_garbled(row: Mapping[str, Any]) -> bool | None:
    """Whether a text of the row was read as another character set than it is written in; None where it has no text."""
    texts = [value for value in row.values() if isinstance(value, str)]
    return any(map(_is_garbled, texts)) if texts else None


def _is_garbled(text: str) -> bool:
    return not text.isascii() and any(first in text for first in _FIRST) and _GARBLED.search(text) is not None
