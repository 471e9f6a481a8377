"""What is known of single words, worked out once for each: the words of a set are met again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

MOST, LONGEST = 1 << 16, 40
"""Words that are remembered, and characters of one: what is longer is an address or a number, and comes once."""

Known = TypeVar("Known")


class WordMemory(dict[str, Known]):
    """What a function says of words; all is forgotten once there are too many.

    A dictionary, because `map(memory.__getitem__, words)` makes no call in Python for a word that is known.
    """

    def __init__(self, find: Callable[[str], Known]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, word: str) -> Known:
        known = self._find(word)
        if len(word) <= LONGEST:
            if len(self) >= MOST:
                self.clear()
            self[word] = known
        return known


def lower_words(words: list[str]) -> list[str]:
    """The words in lower case; those that are alike are one object, which sets and tuples of them compare quickly."""
    return list(map(_LOWER.__getitem__, words))


_LOWER = WordMemory(str.lower)
