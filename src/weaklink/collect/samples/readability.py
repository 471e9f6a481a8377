"""How much of a text is no words: strings that no language writes."""

from __future__ import annotations

import re
from functools import lru_cache
from math import nan

FEWEST = 5
"""Words: of fewer a share says nothing."""
MOST, LONGEST = 4_000, 40
"""Words that are looked at, and characters of one: what is longer is an address or a number."""

_EDGES = ".,;:!?'\"()[]{}<>*_`“”’‘…-"
_USUAL = frozenset((
    "-", "--", "---", "–", "—", "...", "=", "+", "*", "/", "|", "#", "##", "###", "####", "```", ">", "<", "==", "!=",
    "<=", ">=", "->", "=>", "&", "%", "$", "$$", "×", "÷", "·", "•", "**", "//", "≈", "≤", "≥", "&&", "||",
))  # fmt: skip
_CONSONANTS = re.compile(r"[b-df-hj-np-tv-xz]{3,}", re.IGNORECASE)
_MIXED = re.compile(r"[a-z]+[0-9]+[a-z]+|0x[0-9a-f]+", re.IGNORECASE)


def measure_gibberish(text: str) -> float:
    """The share of words that are none; not a number where there are too few, or where the text is a program."""
    words = text.split(None, MOST)[:MOST]
    if len(words) < FEWEST or "```" in text or "def " in text:
        return nan
    return sum(_is_gibberish(word) for word in words if len(word) <= LONGEST) / len(words)


@lru_cache(maxsize=1 << 16)  # most words of a set are met again and again
def _is_gibberish(word: str) -> bool:
    bare = word.strip(_EDGES)
    if not bare:
        return len(word) > 1 and word not in _USUAL and not set(word) <= set(".!?…'\"*-_=)(`")
    if not any(map(str.isalnum, bare)):
        return len(bare) > 1 and word not in _USUAL and not _has_picture(bare)
    # abbreviations in capitals are words
    return (_CONSONANTS.fullmatch(bare) is not None and not bare.isupper()) or _MIXED.fullmatch(bare) is not None


def _has_picture(word: str) -> bool:
    return any(ord(character) > 0x2000 for character in word)
