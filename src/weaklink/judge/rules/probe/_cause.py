"""Causes and hypotheses about a broken rung, and the measures that they are tested on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

import msgspec

from weaklink.base.evidence.outcome import Measure, Outcome, Rung, RungTrial
from weaklink.judge.rules.writing import Level, Link

Subject = TypeVar("Subject")

NEAR = 0.12
"""How close a measure must be to the prediction of a mistake, relative to the size of the right answers.

Values after a short training still scatter around what they converge to; closer predictions are named together.
"""

MATCHING = "matching-action"
"""The rung that separates causes which look alike on the rung that fails."""

ONE_STEP = "observed-reward"
"""The rung with one-step episodes and a reward that is part of the observation."""

ONE_PLACE = 1e-3
"""Seeds whose values differ by less than this have converged to the same answer."""

SLIGHTLY, NEARLY = 0.1, 0.9
"""A value between these shares of the right one is partly learned."""

LAST_DIGIT = 1e-6
"""Outputs of a float32 network that differ by less are equal."""


@dataclass(frozen=True)
class Cause:
    """Which link is to blame, why, where to look, and how certain that is."""

    link: Link
    reason: str
    look: str
    confidence: float
    level: Level | None = None


@dataclass(frozen=True)
class BrokenRung:
    """A rung that fails, its failed trials that gave answers, and the climb that it is part of."""

    outcome: Outcome
    rung: Rung
    trials: list[RungTrial]

    def missed(self, *kinds: str) -> list[Measure]:
        """The measures of these kinds that the failed trials miss."""
        return missed(self.trials, *kinds)

    def measured(self, *kinds: str) -> list[Measure]:
        """All measures of these kinds of the failed trials."""
        return measured(self.trials, *kinds)


@dataclass(frozen=True)
class Hypothesis(Generic[Subject]):
    """A fault, what it predicts, and what to report where the prediction holds.

    `predicts` returns None or False where the numbers contradict it. Any other answer is formatted into `reason`.
    """

    predicts: Callable[[Subject], object]
    link: Link
    reason: str
    look: str
    confidence: float
    level: Level | None = None


def explain(subject: Subject, hypotheses: Iterable[Hypothesis[Subject]]) -> Cause | None:
    """The cause of the first hypothesis whose prediction holds; their order goes from certain to speculative."""
    for each in hypotheses:
        seen = each.predicts(subject)
        if seen is not None and seen is not False:
            return Cause(each.link, each.reason.format(seen), each.look, each.confidence, each.level)
    return None


def missed(trials: Iterable[RungTrial], *kinds: str) -> list[Measure]:
    """The measures of these kinds outside of their band."""
    return [measure for trial in trials for measure in trial.missed if measure.what in kinds]


def measured(trials: Iterable[RungTrial], *kinds: str) -> list[Measure]:
    """All measures of these kinds."""
    return [measure for trial in trials for measure in trial.measures if measure.what in kinds]


def known(values: Iterable[float | None]) -> list[float]:
    """Those that are not None."""
    return [value for value in values if value is not None]


def by_state(measures: list[Measure]) -> list[list[Measure]]:
    """The measures of all trials, grouped by what was measured and in which state."""
    together: dict[tuple[str, str], list[Measure]] = {}
    for measure in measures:
        together.setdefault((measure.what, measure.where), []).append(measure)
    return list(together.values())


def typical(measures: list[Measure]) -> list[Measure]:
    """One measure for each state: the median over the trials."""
    return [
        msgspec.structs.replace(same[0], measured=median(measure.measured for measure in same))
        for same in by_state(measures)
    ]


def grown(rung: Rung, trials: list[RungTrial], *kinds: str) -> list[tuple[Measure, Measure]]:
    """Each miss after the same measure of the same seed at the smaller budget, where there was one."""
    before = {
        (trial.seed, measure.what, measure.where): measure
        for trial in sorted(rung.trials, key=lambda trial: trial.steps)
        for measure in trial.measures
        if trial.steps < max(other.steps for other in rung.trials)
    }
    misses = [((trial.seed, miss.what, miss.where), miss) for trial in trials for miss in missed([trial], *kinds)]
    return [(before[place], miss) for place, miss in misses if place in before]


def closed(rung: Rung, trials: list[RungTrial], *kinds: str) -> list[float]:
    """For each miss, the share of the error that the larger budget removed."""
    gaps = [
        (abs(before.measured - before.right), abs(after.measured - after.right))
        for before, after in grown(rung, trials, *kinds)
    ]
    return [1.0 - after / before for before, after in gaps if before > 0.0]


def in_one_place(trials: list[RungTrial]) -> bool:
    """Whether several seeds converged to the same values."""
    return max(distances(trials), default=math.inf) <= ONE_PLACE


def distances(trials: list[RungTrial]) -> list[float]:
    """The range over seeds of each value that several seeds were asked for."""
    together = ([measure.measured for measure in same] for same in by_state(measured(trials, "value", "q")))
    return [max(same) - min(same) for same in together if len(same) > 1]
