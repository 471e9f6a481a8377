"""What completions take from their prompts: whole passages, and words that they repeat."""

from __future__ import annotations

from functools import lru_cache
from math import nan

from weaklink.collect.samples.words import WordMemory

RUN = 6
"""Words in a row that are no chance: names and phrases of a question are shorter."""
FEWEST, FEWEST_ASKED = 8, 12
"""Words of a completion and of a prompt: shorter ones hold nothing to copy."""
LOOKED_AT = 2_000
"""Words of each that are looked at."""
LONG = 5
"""Letters of a word that means something by itself."""
KEPT = 64
_EDGES = ".,;:!?'\"()[]{}*_`"


def measure_copied(completion: str, prompt: str, lower: list[str] | None = None) -> float:
    """The share of runs of six words that stand in the prompt; not a number where either is short.

    Args:
        completion: the text.
        prompt: what it answers.
        lower: the words of the completion in lower case, where they are known.
    """
    if not (asked := _list_runs(prompt)):
        return nan
    words = (completion.lower().split() if lower is None else lower)[:LOOKED_AT]
    if len(words) < FEWEST:
        return nan
    runs = list(zip(*(words[place:] for place in range(RUN)), strict=False))
    return sum(map(asked.__contains__, runs)) / len(runs)


def measure_stuffing(completion: str, prompt: str, lower: list[str] | None = None) -> float:
    """The share of words that come from the prompt and stood in the completion before; not a number in a short one.

    Takes what `measure_copied` takes.
    """
    if not (asked := _list_words(prompt)):
        return nan
    words = (completion.lower().split() if lower is None else lower)[:LOOKED_AT]
    if len(words) < FEWEST:
        return nan
    taken = list(filter(asked.__contains__, map(_BARE.__getitem__, words)))
    return (len(taken) - len(set(taken))) / len(words)


def _strip_marks(word: str) -> str:
    return word.strip(_EDGES)


_BARE = WordMemory(_strip_marks)


@lru_cache(KEPT)
def _list_runs(prompt: str) -> frozenset[tuple[str, ...]]:
    words = prompt.lower().split()[:LOOKED_AT]
    runs = zip(*(words[place:] for place in range(RUN)), strict=False)
    return frozenset(runs) if len(words) >= FEWEST_ASKED else frozenset()


@lru_cache(KEPT)
def _list_words(prompt: str) -> frozenset[str]:
    words = (_strip_marks(word) for word in prompt.lower().split()[:LOOKED_AT])
    return frozenset(word for word in words if len(word) >= LONG and word.isalpha())
