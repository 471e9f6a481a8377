"""What a script prints of its training, beside the returns of the episodes that it was heard to play.

No mean of returns lies beyond the largest of them. A number that is called a return and grows ever further beyond is a
total that is never set back to zero, and one that is called a mean and always is the largest so far is no mean.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from weaklink.base.evidence.flaw_kinds import BEST_AS_MEAN, GROWING_TOTALS
from weaklink.base.evidence.recovered import RecoveredFlaw
from weaklink.collect.monitor.told_scores import LONGEST_LINE, MOST_PLACES, NUMBER, WORD

OF_TRAINING = (GROWING_TOTALS, BEST_AS_MEAN)

RETURNS = frozenset(("return", "returns", "ret", "reward", "rewards", "rew", "score", "scores"))
MEANS = frozenset(("mean", "avg", "average"))
ON_PURPOSE = frozenset(
    ("cumulative", "cum", "sum", "overall", "far", "best", "max", "maximum", "record", "highest", "std", "sd", "stdev"),
)
"""Words before a number that say that it is a return, that it is a mean, and that it is another number on purpose."""

FEWEST_GROWN, FEWEST_TOLD, FEWEST_EPISODES = 3, 5, 10
"""Lines in which a total must have grown, lines that must show the largest return, and episodes that must have been
played by the first of them."""

CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Where a word begins within a name such as AverageReturn."""

FAR = 3.0
"""How many times the largest return a total must reach: one printed over two or three episodes is none yet."""


@dataclass
class TrainedPlace:
    """One number in lines of one shape.

    Attributes:
        lines: in which it was printed.
        last: as it was printed last.
        grows: whether each lies further from zero than the one before.
        inside: how often it lay among the returns that there were.
        best: how often it was the largest of all returns so far, although others were lower since the line before.
        told: how often it was printed although others were lower.
    """

    lines: int = 0
    last: float = 0.0
    grows: bool = True
    inside: int = 0
    best: int = 0
    told: int = 0


class TrainedScores:
    """All returns that were printed of a training, and the range of those that were heard."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, int], TrainedPlace] = {}
        self._low, self._high, self._count = 0.0, 0.0, 0
        self._since = float("inf")

    def add(self, total: float) -> None:
        """Takes the return of an episode."""
        self._low = min(self._low, total) if self._count else total
        self._high = max(self._high, total) if self._count else total
        self._since, self._count = min(self._since, total), self._count + 1

    def note(self, line: str) -> None:
        """Takes a line that was printed."""
        if self._count < FEWEST_EPISODES:
            return
        line = CAPITAL.sub(" ", line[:LONGEST_LINE]).lower()
        shape, told, begins = NUMBER.sub("#", line), False, 0
        for place, found in enumerate(NUMBER.finditer(line)):
            words, begins = WORD.findall(line[begins : found.start()])[-3:], found.end()
            if RETURNS & set(words) and not ON_PURPOSE & set(words):
                if (shape, place) not in self._places and len(self._places) >= MOST_PLACES:
                    return
                told = True
                known = self._places.setdefault((shape, place), TrainedPlace())
                self._note_place(known, float(found[0]), 10.0 ** -len(found[1] or ""), bool(MEANS & set(words)))
        if told:
            self._since = float("inf")

    def _note_place(self, place: TrainedPlace, value: float, unit: float, mean: bool) -> None:
        place.grows = place.grows and (not place.lines or abs(value) > abs(place.last))
        place.lines, place.last = place.lines + 1, value
        place.inside += self._low - unit <= value <= self._high + unit
        if mean and self._since < self._high - unit:
            place.told += 1
            place.best += abs(value - self._high) <= 0.51 * unit + 1e-6 * abs(self._high)

    def find_flaws(self) -> tuple[tuple[RecoveredFlaw, ...], frozenset[str]]:
        """What is printed in place of a return, and the kinds that would have shown."""
        often = [each for each in self._places.values() if each.lines >= FEWEST_GROWN]
        if not often:
            return (), frozenset()
        far, right = max(abs(self._low), abs(self._high)), any(2 * each.inside > each.lines for each in often)
        for each in often:
            if each.grows and not right and abs(each.last) > FAR * far:
                return (self._describe(GROWING_TOTALS, number=each.last, other=far),), frozenset(OF_TRAINING)
            if each.told >= FEWEST_TOLD and each.best == each.told:
                return (self._describe(BEST_AS_MEAN, number=each.last),), frozenset(OF_TRAINING)
        return (), frozenset(OF_TRAINING)

    def _describe(self, kind: str, **numbers: float) -> RecoveredFlaw:
        return RecoveredFlaw(kind=kind, head="", count=self._count, of=self._count, **numbers)


def has_other_rewards(env: Any) -> bool:
    """Whether a wrapper changes the rewards of an environment, by its name or that of what it is a kind of."""
    while env is not None:
        if any("reward" in kind.__name__.lower() for kind in type(env).__mro__):
            return True
        held = vars(env)  # not its attributes: wrappers of Gymnasium 0.29 warn of asking for those of what they wrap
        members = held.get("envs")
        env = members[0] if isinstance(members, list | tuple) and members else held.get("env")
    return False
