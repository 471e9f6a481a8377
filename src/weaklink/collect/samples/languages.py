"""In which language a text is written: by its script, and by its commonest words where the script is Latin."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from weaklink.collect.samples.words import WordMemory

LOOKED_AT = 4000
"""Characters of a text that are looked at, from its beginning."""

UNKNOWN, ENGLISH = 0, 1
"""Too short, code, numbers, or a language that is not listed; and the first of those that are."""

FEWEST_WORDS, LEAD = 3, 2
"""Common words that must be found, and how many times those of any other language."""

WEIGHT = 3
"""Letters of an alphabet that a sign of a script for whole syllables or words stands for."""

_SIGNS = (
    (WEIGHT, re.compile("[\u3040-\u30ff]")),
    (WEIGHT, re.compile("[\u4e00-\u9fff\u3400-\u4dbf]")),
    (WEIGHT, re.compile("[\uac00-\ud7af]")),
    (1, re.compile("[\u0400-\u04ff]")),
    (1, re.compile("[\u0600-\u06ff]")),
    (1, re.compile("[\u0900-\u097f]")),
    (1, re.compile("[\u0370-\u03ff]")),
    (1, re.compile("[\u0590-\u05ff]")),
    (1, re.compile("[\u0e00-\u0e7f]")),
)
"""Scripts by their signs: kana, Han, Hangul, Cyrillic, Arabic, Devanagari, Greek, Hebrew, Thai."""

KEPT = 512
"""Prompts whose reading is remembered: the completions of a group share one."""

_GREEK = 6
FEWEST_LETTERS = 4 * WEIGHT
"""Letters of a script that make words of it: fewer are a name, a unit or a symbol."""

_WORDS = tuple(
    frozenset(words.split())
    for words in (
        "the and is of to that it for with this you are not be we as how what have from which",
        "der die das und ist nicht ein eine zu den mit von auf für sich dem wir sind wie auch es im",
        "le les des est et une un que pour dans qui pas nous vous avec sur sont du au ce cette donc",
        "el los las es y una que para en por con se del como más su lo esta entonces puede",
        "il gli che di è una con non sono della nel più alla questo quindi si anche dei",
        "os é uma que para em não com da se mais como são então dos um por isso você também",
    )
)
"""Commonest words of English, German, French, Spanish, Italian and Portuguese."""

_NAMED = re.compile(
    r"\b(?:translat|übersetz|tradui|traduc|traduz|english|german|french|spanish|italian|portuguese|chinese|mandarin"
    r"|japanese|korean|russian|arabic|hindi|greek|hebrew|thai|deutsch|französisch|englisch|language|langue|sprache"
    r"|idioma|lingua)|翻译|翻訳|英語|中文|日本語|英文|번역",
    re.IGNORECASE,
)


def find_language(text: str, lower: list[str] | None = None) -> int:
    """A number for the language of a text; `UNKNOWN` where it does not show.

    Args:
        text: the text.
        lower: its words in lower case, where they are known.
    """
    looked_at = text[:LOOKED_AT]
    if not looked_at.isascii():
        counts = [weight * len(signs.findall(looked_at)) for weight, signs in _SIGNS]
        letters = sum(map(str.isalpha, looked_at)) + sum(counts)
        if counts[0] and counts[0] >= 0.1 * counts[1]:  # Japanese mixes kana and Han
            counts[0], counts[1] = counts[0] + counts[1], 0
        most = max(range(len(counts)), key=counts.__getitem__)
        if counts[most] > letters / 3 and counts[most] >= 4 * WEIGHT:
            return 1 + len(_WORDS) + most
    if lower is None or len(text) > LOOKED_AT:
        lower = looked_at.lower().split()
    found = Counter(filter(None, map(_COMMON_IN.__getitem__, lower)))
    hits = [sum(count for languages, count in found.items() if place in languages) for place in range(len(_WORDS))]
    best = max(range(len(hits)), key=hits.__getitem__)
    others = max(hits[:best] + hits[best + 1 :])
    return 1 + best if hits[best] >= max(FEWEST_WORDS, LEAD * others) else UNKNOWN


@lru_cache(KEPT)
def find_prompt_language(prompt: str) -> int:
    """The language of a prompt, which the completions of a group share."""
    return find_language(prompt)


def _list_languages(word: str) -> frozenset[int]:
    """The languages that a word is common in, by their places in `_WORDS`."""
    bare = word.strip(".,;:!?()\"'")
    return frozenset(place for place, common in enumerate(_WORDS) if bare in common)


_COMMON_IN = WordMemory(_list_languages)


def mixes_scripts(text: str, prompt: str) -> bool:
    """Whether a text has words in a script that its prompt does not have; Greek letters are signs of mathematics."""
    looked_at = text[:LOOKED_AT]
    if looked_at.isascii():
        return False
    asked = prompt[:LOOKED_AT]
    return any(
        place != _GREEK and weight * len(signs.findall(looked_at)) >= FEWEST_LETTERS and not signs.search(asked)
        for place, (weight, signs) in enumerate(_SIGNS)
    )


@lru_cache(KEPT)
def names_language(text: str) -> bool:
    """Whether a prompt speaks of languages, so that an answer in another one may be what is asked for."""
    return _NAMED.search(text[:LOOKED_AT]) is not None
