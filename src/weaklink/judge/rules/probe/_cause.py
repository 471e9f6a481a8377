"""What a cause is, and how measures are picked to look for one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

import msgspec

from weaklink.base.evidence.outcome import Measure, Rung, Trial
from weaklink.base.finding import Level
from weaklink.base.loop import Link

NEAR = 0.12
"""How close to what a mistake predicts a measure must be, relative to the size of the right answers."""

MATCHING = "matching-action"
"""The rung that is climbed to tell causes apart."""

ONE_STEP = "observed-reward"
"""The rung with episodes of one step and a reward that can be seen."""

ONE_PLACE = 1e-3
"""How far apart seeds may end that have come to the same answer."""

SLIGHTLY, NEARLY = 0.1, 0.9
"""Between these shares of the right one lies a value that is learned in part."""

LAST_DIGIT = 1e-6
"""Two answers of a network that differ by less are the same answer."""


@dataclass(frozen=True)
class Cause:
    """Whom to blame, why, where to look, and how sure that is."""

    link: Link
    told: str
    look: str
    confidence: float
    level: Level | None = None


def missed(trials: Iterable[Trial], *kinds: str) -> list[Measure]:
    """The measures of these kinds that lie out of their band."""
    return [measure for trial in trials for measure in trial.missed if measure.what in kinds]


def measured(trials: Iterable[Trial], *kinds: str) -> list[Measure]:
    """All measures of these kinds."""
    return [measure for trial in trials for measure in trial.measures if measure.what in kinds]


def known(values: Iterable[float | None]) -> list[float]:
    """Those that are there."""
    return [value for value in values if value is not None]


def by_state(measures: list[Measure]) -> list[list[Measure]]:
    """What all trials measured of the same thing in the same state, together."""
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


def grown(rung: Rung, trials: list[Trial], *kinds: str) -> list[tuple[Measure, Measure]]:
    """Each miss with what was measured of the same seed after the smaller budget, where there was one."""
    before = {
        (trial.seed, measure.what, measure.where): measure
        for trial in sorted(rung.trials, key=lambda trial: trial.steps)
        for measure in trial.measures
        if trial.steps < max(other.steps for other in rung.trials)
    }
    misses = [((trial.seed, miss.what, miss.where), miss) for trial in trials for miss in missed([trial], *kinds)]
    return [(before[place], miss) for place, miss in misses if place in before]


def closed(rung: Rung, trials: list[Trial], *kinds: str) -> list[float]:
    """For each miss, the share of its way to the right answer that the larger budget brought."""
    gaps = [
        (abs(before.measured - before.right), abs(after.measured - after.right))
        for before, after in grown(rung, trials, *kinds)
    ]
    return [1.0 - after / before for before, after in gaps if before > 0.0]


def in_one_place(trials: list[Trial]) -> bool:
    """Whether several seeds have come to rest at the same place."""
    return max(distances(trials), default=math.inf) <= ONE_PLACE


def distances(trials: list[Trial]) -> list[float]:
    """How far apart the answers of seeds lie, for all that several were asked."""
    together = ([measure.measured for measure in same] for same in by_state(measured(trials, "value", "q")))
    return [max(same) - min(same) for same in together if len(same) > 1]
