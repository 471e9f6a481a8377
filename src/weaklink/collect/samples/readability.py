"""How much of a text is no words: strings that no language writes."""

from __future__ import annotations

import re
from math import nan

from weaklink.collect.samples.words import LONGEST, WordMemory

FEWEST = 5
"""Words: of fewer a share says nothing."""
MOST = 4_000
"""Words that are looked at."""

_EDGES = ".,;:!?'\"()[]{}<>*_`“”’‘…-"
_USUAL = frozenset((
    "-", "--", "---", "–", "—", "...", "=", "+", "*", "/", "|", "#", "##", "###", "####", "```", ">", "<", "==", "!=",
    "<=", ">=", "->", "=>", "&", "%", "$", "$$", "×", "÷", "·", "•", "**", "//", "≈", "≤", "≥", "&&", "||",
))  # fmt: skip
_CONSONANTS = re.compile(r"[b-df-hj-np-tv-xz]{3,}", re.IGNORECASE)
_MIXED = re.compile(r"[a-z]+[0-9]+[a-z]+|0x[0-9a-f]+", re.IGNORECASE)
_FRAGMENT = re.compile(
    r"[\u0120\u010a\u2581\ufffd]|\u00c3[\u0080-\u00bf]|(?:\\n){2}|&(?:nbsp|amp|lt|gt|quot);"
    r"|[a-z](?:\(\);|[\])}>;#<|]{2,})[a-z]|(?:\(\);|[#<\]}]{2,})[a-z]"
    r"|[a-z][\u0400-\u04ff\u4e00-\u9fff\u3040-\u30ff]|[\u0400-\u04ff\u4e00-\u9fff\u3040-\u30ff][a-z]",
    re.IGNORECASE,
)
"""Pieces of tokens: marks of tokenizers, bytes decoded wrongly, entities, brackets or two scripts in a word."""


def measure_gibberish(text: str, words: list[str] | None = None) -> float:
    """The share of words that are none; not a number where there are too few, or where the text is a program.

    Args:
        text: the text.
        words: its words, where they are known.
    """
    words = (text.split(None, MOST) if words is None else words)[:MOST]
    if len(words) < FEWEST or "```" in text or "def " in text:
        return nan
    return sum(map(_GIBBERISH.__getitem__, words)) / len(words)


def _is_gibberish(word: str) -> bool:
    if len(word) > LONGEST:
        return False
    bare = word.strip(_EDGES)
    if not bare:
        return len(word) > 1 and word not in _USUAL and not set(word) <= set(".!?…'\"*-_=)(`")
    if not any(map(str.isalnum, bare)):
        return len(bare) > 1 and word not in _USUAL and not _has_picture(bare)
    # abbreviations in capitals are words
    if (_CONSONANTS.fullmatch(bare) is not None and not bare.isupper()) or _MIXED.fullmatch(bare) is not None:
        return True
    return not (word.isascii() and bare.isalpha()) and _FRAGMENT.search(word) is not None


_GIBBERISH = WordMemory(_is_gibberish)


def _has_picture(word: str) -> bool:
    return any(ord(character) > 0x2000 for character in word)
