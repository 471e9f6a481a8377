"""How messages list names and shorten texts."""

from __future__ import annotations

from collections.abc import Iterable

MOST_DIGITS = 9
"""Those that a number of 32 bits has."""


def join_names(names: Iterable[str]) -> str:
    """`random`, `random and zero`, `random, zero and search`."""
    words = list(names)
    return " and ".join(part for part in (", ".join(words[:-1]), *words[-1:]) if part)


def name_some(names: Iterable[str], most: int) -> str:
    """The first names, and how many more there are."""
    words = list(names)
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")


def tell_apart(one: float, other: float) -> tuple[str, str]:
    """Two numbers with four digits, or with as many as it takes to tell one from the other."""
    texts = [(f"{one:.{digits}g}", f"{other:.{digits}g}") for digits in range(4, MOST_DIGITS + 1)]
    return next((pair for pair in texts if pair[0] != pair[1]), texts[0])


def shorten(text: str, longest: int) -> str:
    """A text cut to this many characters."""
    return text if len(text) <= longest else text[: longest - 3].rstrip() + "..."
