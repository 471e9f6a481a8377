"""Whether texts belong to the row that they stand in: told by the rare words that they share with each row's others.

A summary names what its article names, and a translation is worded like its reference. Texts of rows that were
exchanged share more with another row than with their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping

import numpy as np

from weaklink.base.evidence.samples import Sample
from weaklink.base.evidence.series import Array

FIRST, LAST = 150, 350
"""Draws at the start and at the end of the rows that are compared: more do not change what a share is."""
NEAR = 8
"""Draws before and after whose texts may have been exchanged, beside all of the same step."""
LONGEST, MOST_WORDS, MOST_TEXTS = 8_000, 1_600, 4
"""Characters and words of a text that are looked at, and rows of a draw whose texts are kept until then."""
RARE = 25
"""Draws that a word may occur in and still say which of them a text is about."""
FEWEST_WORDS, FEWEST_SHARED = 8, 4
"""Rare words without which a text is about nothing, and those that it must share with another one to be about that."""
OWN, COVERED = 0.5, 0.5
"""The most of another draw's overlap that the own one may have, and the least of the text that the other must cover."""
FEWEST_DRAWS = 20
AT_HOME = 0.2
"""The share of draws whose texts must be about their own: where hardly any are, the two sides are in different words,
such as two languages, and say nothing of each other."""
MOST_CLAIMS = 2
"""Draws whose texts may be about one and the same other draw: what was exchanged went to one."""

KINDS = ("foreign_prompt", "foreign_reference")
"""The columns: completions are compared with prompts, and with references."""

_WORD = re.compile(r"\w[\w\-./:]{0,60}\w")
Words = Counter[str]


class BelongingFinder:
    """Compares texts of neighbouring draws, in bounded memory."""

    def __init__(self) -> None:
        self._first: list[_Draw] = []
        self._last: deque[_Draw] = deque(maxlen=LAST)

    def take(self, sample: Sample, row: int, group: int) -> None:
        """Takes a sample with its row and its draw."""
        if sample.calls or not sample.completion:
            return
        last = self._last[-1] if self._last else self._first[-1] if self._first else None
        draw = last if last is not None and last.group == group and group >= 0 else _Draw(group, sample.step)
        if draw is not last:
            (self._first if len(self._first) < FIRST else self._last).append(draw)
        draw.take(sample, row)

    def columns(self, rows: int) -> dict[str, Array]:
        """Whether the texts of each row belong to another draw, 1 or 0; not a number where that does not show."""
        found = {}
        draws = [*self._first, *self._last]
        for draw in draws:
            draw.read()
        for kind in KINDS:
            column = np.full(rows, np.nan)
            for place, elsewhere in _find_foreign(draws, kind):
                column[place] = elsewhere
            if np.isfinite(column).any():
                found[kind] = column
        return found


class _Draw:
    """What the rows of a draw say, and what that should be about: texts at first, and words once they are compared."""

    __slots__ = ("about", "group", "rows", "said", "step", "texts")

    def __init__(self, group: int, step: float | None) -> None:
        self.group = group
        self.step = step
        self.rows: list[int] = []
        self.texts: list[tuple[str, str, str]] = []
        self.about: dict[str, frozenset[str]] = {}
        self.said: Words = Counter()

    def take(self, sample: Sample, row: int) -> None:
        self.rows.append(row)
        if len(self.texts) < MOST_TEXTS:
            self.texts.append((sample.prompt[:LONGEST], sample.answer[:LONGEST], sample.completion[:LONGEST]))

    def read(self) -> None:
        """Finds the words of the texts, which may then go."""
        for prompt, answer, completion in self.texts:
            self.said.update(find_words(completion))
            for kind, about in (("foreign_prompt", prompt), ("foreign_reference", answer)):
                if about:
                    self.about[kind] = self.about.get(kind, frozenset()) | find_words(about)
        self.texts.clear()


def find_words(text: str) -> frozenset[str]:
    """The different words and numbers of a text."""
    return frozenset(word.lower() for word in _WORD.findall(text)[:MOST_WORDS])


def _find_foreign(draws: list[_Draw], kind: str) -> Iterator[tuple[list[int], bool]]:
    """The rows of each draw that says something, and whether what it says is about another draw near it."""
    told = [draw for draw in draws if kind in draw.about]
    if len(told) < FEWEST_DRAWS:
        return
    where: dict[str, list[int]] = {}
    for place, draw in enumerate(told):
        for word in draw.about[kind]:
            where.setdefault(word, []).append(place)
    weights = {word: float(np.log(len(told) / len(places))) for word, places in where.items() if len(places) <= RARE}
    owners = {place: _find_owner(told, place, kind, where, weights) for place in range(len(told))}
    known = {place: owner for place, owner in owners.items() if owner is not None}
    if sum(place == owner for place, owner in known.items()) < max(FEWEST_DRAWS / 2, AT_HOME * len(known)):
        return
    claims = Counter(owner for place, owner in known.items() if owner != place)
    for place, owner in known.items():
        yield told[place].rows, owner not in (place, NOBODY) and claims[owner] <= MOST_CLAIMS


NOBODY = -1
"""The owner of a text that is about its own draw no more than about others."""


def _find_owner(
    draws: list[_Draw], place: int, kind: str, where: Mapping[str, list[int]], weights: Mapping[str, float]
) -> int | None:
    """Which draw near one its texts are about; `NOBODY` where that is unclear, None where they have no rare words."""
    said = {word: count for word, count in draws[place].said.items() if word in weights}
    own_words = sum(word in weights for word in draws[place].about[kind])
    if min(len(said), own_words) < FEWEST_WORDS:
        return None
    shared: dict[int, float] = defaultdict(float)
    words: Counter[int] = Counter()
    for word, count in said.items():
        words.update(where[word])
        for other in where[word]:
            shared[other] += weights[word] * count
    whole = sum(weights[word] * count for word, count in said.items())
    own = shared.pop(place, 0.0)
    near = {other for other in words if words[other] >= FEWEST_SHARED and _is_near(draws, place, other)} - {place}
    best = max(near, key=lambda other: shared[other], default=NOBODY)
    most = shared[best] if best != NOBODY else 0.0
    if most >= COVERED * whole and own <= OWN * most:
        return best
    return place if own >= COVERED * whole and own > most else NOBODY


def _is_near(draws: list[_Draw], place: int, other: int) -> bool:
    step = draws[place].step
    return abs(place - other) <= NEAR or (step is not None and step == draws[other].step)
