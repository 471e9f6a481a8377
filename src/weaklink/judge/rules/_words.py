"""How messages list names and shorten texts."""

from __future__ import annotations

from collections.abc import Iterable


def join_names(names: Iterable[str]) -> str:
    """`random`, `random and zero`, `random, zero and search`."""
    words = list(names)
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def name_some(names: Iterable[str], most: int) -> str:
    """The first names, and how many more there are."""
    words = list(names)
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def shorten(text: str, longest: int) -> str:
    """A text cut to this many characters."""
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."
