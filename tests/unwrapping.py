"""Text of a terminal, whose lines break elsewhere where a path is longer."""

from __future__ import annotations


def unwrapped(text: str) -> str:
    """The words with one space between them, wherever the lines were broken."""
    return " ".join(text.split())
