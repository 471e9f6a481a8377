"""In which language a text is written: by its script, and by its commonest words where the script is Latin."""

from __future__ import annotations

import re

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


def find_language(text: str) -> int:
    """A number for the language of a text; `UNKNOWN` where it does not show."""
    looked_at = text[:LOOKED_AT]
    if not looked_at.isascii():
        counts = [weight * len(signs.findall(looked_at)) for weight, signs in _SIGNS]
        letters = sum(map(str.isalpha, looked_at)) + sum(counts)
        if counts[0] and counts[0] >= 0.1 * counts[1]:  # Japanese mixes kana and Han
            counts[0], counts[1] = counts[0] + counts[1], 0
        most = max(range(len(counts)), key=counts.__getitem__)
        if counts[most] > letters / 3 and counts[most] >= 4 * WEIGHT:
            return 1 + len(_WORDS) + most
    words = [word.strip(".,;:!?()\"'") for word in looked_at.lower().split()]
    hits = [sum(map(common.__contains__, words)) for common in _WORDS]
    best = max(range(len(hits)), key=hits.__getitem__)
    others = max(hits[:best] + hits[best + 1 :])
    return 1 + best if hits[best] >= max(FEWEST_WORDS, LEAD * others) else UNKNOWN


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


def names_language(text: str) -> bool:
    """Whether a prompt speaks of languages, so that an answer in another one may be what is asked for."""
    return _NAMED.search(text[:LOOKED_AT]) is not None
