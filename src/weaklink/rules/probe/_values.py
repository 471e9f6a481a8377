"""Why values are wrong: the known mistake in making targets that would have given them."""

from __future__ import annotations

import math
from statistics import median

from weaklink.evidence.outcome import RIGHT, Measure, Outcome, Rung, Trial
from weaklink.finding import HIGH, MEDIUM
from weaklink.loop import Link
from weaklink.reference.backups import MISTAKES
from weaklink.rules.probe._cause import NEAR, Cause, closed, measured, missed, typical

FAR = 2.0
"""A prediction that many times the right answer is approached slowly: being on the way there is enough."""

NOT_MUCH_LESS, NOT_MUCH_MORE = 0.75, 1.35
RESTING = 0.1
"""Which share of its way to the right answer a value that has settled may still make with a larger budget."""


def wrong_values(outcome: Outcome, rung: Rung, trials: list[Trial]) -> Cause | None:
    """The mistake in making targets that fits the values of this rung and breaks none that holds."""
    # the values of a wrong policy are others even where nothing is wrong with them
    if not missed(trials, "value", "q") or missed(trials, "action", "behaviour"):
        return None
    measures = typical(measured(trials, "value", "q"))
    size = max(1.0, *(abs(measure.right) for measure in measures))
    held = [m for other in outcome.rungs if other.verdict == RIGHT for m in measured(other.final, "value", "q")]
    able = [name for name in MISTAKES if _breaks(name, measures, -NEAR / 4) and not _breaks(name, held, NEAR)]
    fits = {name: _misfit(name, measures, size) for name in able}
    best = min(fits.values(), default=math.inf)
    if best > NEAR:
        return _size_only(rung, trials, measures)
    likely = [MISTAKES[name] for name, misfit in fits.items() if misfit <= min(best + NEAR / 4, NEAR)]
    told = ", or ".join(mistake.told for mistake in likely[:3])
    sure = len(likely) == 1 and best < NEAR / 2
    return Cause(likely[0].link, told, likely[0].look, HIGH if sure else MEDIUM)


def _misfit(name: str, measures: list[Measure], size: float) -> float:
    """How far from the prediction the worst measure lies, relative to the right answers."""
    worst = 0.0
    for measure in measures:
        if name not in measure.mistakes:
            return math.inf
        predicted = measure.mistakes[name]
        if math.isnan(predicted):  # nothing is learned there, so any answer may come
            continue
        if abs(predicted - measure.right) > FAR * size and _between(measure, predicted):
            misfit = 0.9 * NEAR  # on its way there: fits, but less well than one that is reached
        else:
            misfit = math.inf
        reached = abs(measure.measured - predicted) / max(size, abs(predicted))
        worst = max(worst, min(misfit, reached))
    return worst


def _between(measure: Measure, predicted: float) -> bool:
    """Whether it left the band towards the prediction, by as much again."""
    if predicted > measure.right:
        return 2.0 * measure.high - measure.right < measure.measured <= predicted
    return predicted <= measure.measured < 2.0 * measure.low - measure.right


def _breaks(name: str, measures: list[Measure], room: float) -> bool:
    """Whether this mistake leaves the band anywhere: it must on a rung that fails, and must not on one that holds."""
    return any(
        not measure.low - room <= measure.mistakes[name] <= measure.high + room
        for measure in measures
        if name in measure.mistakes
    )


def _size_only(rung: Rung, trials: list[Trial], measures: list[Measure]) -> Cause | None:
    """Values that came to rest at the same multiple of the right ones."""
    ratios = [measure.measured / measure.right for measure in measures if abs(measure.right) > 0.05]
    if min(ratios, default=0.0) <= 0.0 or max(ratios) > 1.25 * min(ratios):
        return None
    if NOT_MUCH_LESS < median(ratios) < NOT_MUCH_MORE or max(closed(rung, trials, "value", "q"), default=0.0) > RESTING:
        return None
    return Cause(
        Link.REWARD,
        f"every value is about {median(ratios):.3g} times the right one",
        "where rewards or values are scaled or normalised: what `value` returns must be in the units of the reward",
        MEDIUM,
    )
