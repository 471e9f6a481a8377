"""How well each known mistake in computing targets fits the values of a broken rung."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from weaklink.base.evidence.outcome import RIGHT, Measure
from weaklink.base.reference.backups import MISTAKES, BackupMistake
from weaklink.judge.rules.probe._cause import LAST_DIGIT, NEAR, BrokenRung, grown, measured, typical
from weaklink.judge.rules.probe._constant import measure_next_rung
from weaklink.judge.rules.probe._proven import are_targets_right

FAR, ON_ITS_WAY = 2.0, 0.9 * NEAR
"""A prediction this many times the right answer away is approached slowly: a value on its way there fits, though less
well than one that has arrived."""

BEYOND = 3.0
"""Momentum or noise may carry a value on its way this many times past the prediction."""

AS_GOOD, EXACT = NEAR / 4, NEAR / 24
"""How much worse than the best one a mistake may fit and still be named; less where the best one fits exactly."""

NOT_OF_TARGETS = frozenset((
    "reset stored as a step", "the same value everywhere", "never negative",
    "never beyond one", "never learned",
))  # fmt: skip
"""Mistakes of collecting, of the network and of the optimizer: right targets do not rule them out."""

UNTOUCHED = "never learned"
"""The mistake whose values are those of a network at initialisation."""


@dataclass(frozen=True)
class ValueFit:
    """The values of a broken rung beside the prediction of every known mistake in the targets."""

    broken: BrokenRung

    @cached_property
    def measures(self) -> list[Measure]:
        """The typical value of each state."""
        return typical(self.broken.measured("value", "q"))

    @cached_property
    def size(self) -> float:
        """The size of the right answers."""
        return max(1.0, *(abs(measure.right) for measure in self.measures))

    @cached_property
    def held(self) -> list[Measure]:
        """The values that are right on other rungs, and clear the mistakes that would have changed them.

        Where the first rung of all breaks nothing is cleared: a mistake in a part of the rows may not show above it.
        """
        outcome = self.broken.outcome
        others = () if self.broken.rung is outcome.rungs[0] else outcome.rungs
        return [value for other in others if other.verdict == RIGHT for value in measured(other.final, "value", "q")]

    @cached_property
    def beside(self) -> list[Measure]:
        """The values of the next rung, where the first of all breaks."""
        return measure_next_rung(self.broken.outcome, self.broken.rung)

    @cached_property
    def frozen(self) -> bool:
        """Whether a larger budget changed no digit of what is wrong."""
        pairs = grown(self.broken.rung, self.broken.trials, "value", "q")
        return bool(pairs) and all(abs(after.measured - before.measured) <= LAST_DIGIT for before, after in pairs)

    @cached_property
    def misfits(self) -> dict[str, float]:
        """How badly each mistake fits that breaks this rung, explains the next and contradicts none that holds."""
        possible = NOT_OF_TARGETS if are_targets_right(self.broken.outcome) else MISTAKES
        able = [n for n in possible if _breaks(n, self.measures, -NEAR / 4) and not _breaks(n, self.held, NEAR)]
        explaining = [n for n in able if n == UNTOUCHED or _measure_misfit(n, self.beside, self.size, True) <= 2 * NEAR]
        return {name: _measure_misfit(name, self.measures, self.size, not self.frozen) for name in explaining}

    @cached_property
    def best(self) -> float:
        """The smallest misfit; infinite where no mistake is left."""
        return min(self.misfits.values(), default=math.inf)

    @cached_property
    def likely(self) -> list[BackupMistake]:
        """The mistakes that fit about as well as the best one."""
        limit = min(self.best + (AS_GOOD if self.best > EXACT else EXACT), NEAR)
        return [MISTAKES[name] for name, misfit in self.misfits.items() if misfit <= limit]

    @property
    def untrained(self) -> bool:
        """Whether the values may be those of a network that was never trained."""
        return MISTAKES[UNTOUCHED] in self.likely


def _measure_misfit(name: str, measures: list[Measure], size: float, moving: bool) -> float:
    """How far from the prediction the worst measure lies, relative to the right answers."""
    if any(name not in measure.mistakes for measure in measures):
        return math.inf
    # where the prediction is not a number nothing is learned: any answer may come, so that none speaks for the mistake
    if any(math.isnan(measure.mistakes[name]) for measure in measures):
        return math.inf
    return max((_measure_distance(each, each.mistakes[name], size, moving) for each in measures), default=0.0)


def _measure_distance(measure: Measure, predicted: float, size: float, moving: bool) -> float:
    reached = abs(measure.measured - predicted) / max(size, abs(predicted))
    far = moving and abs(predicted - measure.right) > FAR * size
    return min(ON_ITS_WAY, reached) if far and _is_between(measure, predicted) else reached


def _is_between(measure: Measure, predicted: float) -> bool:
    """Whether it left the band towards the prediction, by as much again as the band is wide."""
    if predicted > measure.right:
        return 2.0 * measure.high - measure.right < measure.measured <= BEYOND * predicted
    return BEYOND * predicted <= measure.measured < 2.0 * measure.low - measure.right


def _breaks(name: str, measures: list[Measure], room: float) -> bool:
    """Whether this mistake leaves the band anywhere: it must on a rung that fails, and must not on one that holds."""
    return any(
        not measure.low - room <= measure.mistakes[name] <= measure.high + room
        for measure in measures
        if name in measure.mistakes
    )
