"""What a script prints of its evaluations, beside what was played in them.

A printed score is compared with what the episodes that were just played add up to. Where no printed number is their
mean, or any other that people print, and one is always exactly what a known mistake makes of them, that is what was
computed. Any other number may be anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from weaklink.base.evidence.flaw_kinds import LAST_REWARDS, RUNNING_TOTALS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.base.evidence.rollout import Array

NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.(\d+))?(?![\w.]*\w)")
WORD = re.compile(r"[a-z]+")
SCORES = frozenset(("return", "returns", "reward", "rewards", "score", "scores", "ret", "rew", "eval", "test"))
"""Words before a number that say that it is the score of what was played."""

FEWEST_TOLD = 3
"""Evaluations whose printed score must be wrong in the same way."""

MOST_PLACES, LONGEST_LINE = 64, 1_000
"""Numbers in lines of one shape that are followed, and characters of a line that are looked at."""

RIGHT: Mapping[str, Callable[[Array, Array, Array], float]] = {
    "mean": lambda totals, lengths, lasts: float(np.mean(totals)),
    "median": lambda totals, lengths, lasts: float(np.median(totals)),
    "best": lambda totals, lengths, lasts: float(np.max(totals)),
    "worst": lambda totals, lengths, lasts: float(np.min(totals)),
    "newest": lambda totals, lengths, lasts: float(totals[-1]),
    "a step": lambda totals, lengths, lasts: float(np.sum(totals) / np.sum(lengths)),
}
"""What people print of the returns, lengths and last rewards of some episodes."""

WRONG: Mapping[str, Callable[[Array, Array, Array], float]] = {
    RUNNING_TOTALS: lambda totals, lengths, lasts: float(np.mean(np.cumsum(totals))),
    LAST_REWARDS: lambda totals, lengths, lasts: float(np.mean(lasts)),
}
"""What mistakes make of them."""


@dataclass
class ToldPlace:
    """One number in lines of one shape: in how many evaluations it was told, and was what a function gives."""

    told: int = 0
    matches: dict[str, int] = field(default_factory=dict)
    values: set[float] = field(default_factory=set)


class ToldScores:
    """All scores that were printed right after an evaluation."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, int], ToldPlace] = {}

    def note(self, line: str, episodes: Sequence[tuple[float, int, float]]) -> None:
        """Takes a line that was printed after episodes of an evaluation, each a return, a length and a last reward."""
        line = line[:LONGEST_LINE].lower()
        shape = NUMBER.sub("#", line)
        totals, lengths, lasts = (np.array(each, np.float64) for each in zip(*episodes, strict=True))
        for place, found in enumerate(NUMBER.finditer(line)):
            words = WORD.findall(line[: found.start()])
            if not SCORES & set(words) or not (SCORES | {"mean", "avg", "average"}) & set(words[-2:]):
                continue
            if (shape, place) not in self._places and len(self._places) >= MOST_PLACES:
                return
            value, unit = float(found[0]), 10.0 ** -len(found[1] or "")
            told = self._places.setdefault((shape, place), ToldPlace())
            told.told += 1
            told.values.add(value)
            for name, compute in {**RIGHT, **WRONG}.items():
                expected = compute(totals, lengths, lasts)
                if abs(value - expected) <= 0.51 * unit + 1e-6 * abs(expected):
                    told.matches[name] = told.matches.get(name, 0) + 1

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What printed scores are in place of the mean return, and the kinds that would have shown."""
        often = [each for each in self._places.values() if each.told >= FEWEST_TOLD]
        if not often:
            return (), frozenset()
        # once in a while a wrong number is right too, as where the first of all episodes scores 0
        right = any(2 * each.matches.get(name, 0) > each.told for each in self._places.values() for name in RIGHT)
        for each in () if right else often:
            for kind in WRONG:
                if each.matches.get(kind, 0) == each.told and len(each.values) > 1:
                    return (RecoveredFlaw(kind=kind, head="", count=each.told, of=each.told),), frozenset(WRONG)
        return (), frozenset(WRONG)
