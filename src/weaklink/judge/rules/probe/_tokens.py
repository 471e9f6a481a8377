"""Why a rung for language models fails: the numbers of its measures, held against what known mistakes give."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from weaklink.base.evidence.outcome import Trial
from weaklink.base.finding import HIGH, MEDIUM
from weaklink.base.loop import Link
from weaklink.judge.rules.probe._cause import Cause, measured, missed

FITS = 0.85
"""How well a mistake must explain what was measured to be named."""

SURELY = 0.97


def no_numbers(trials: list[Trial]) -> Cause | None:
    """The answers are no numbers any more."""
    if all(math.isfinite(measure.measured) for trial in trials for measure in trial.measures):
        return None
    return Cause(
        Link.RETURNS,
        "the weights are no numbers any more: something is divided by zero, such as by the spread of a group whose "
        "rewards are all equal",
        "the small number that belongs into the denominator of (reward - mean) / (spread + 1e-4), and means over masks "
        "that may be empty",
        MEDIUM,
    )


def best_mistake(trials: list[Trial], what: str, known: Mapping[str, tuple[Link, str, str]]) -> Cause | None:
    """The known mistake that explains what was measured, where one does.

    Args:
        trials: those that failed.
        what: the measure whose mistakes are looked at.
        known: for each mistake whom it blames, what is wrong, and where to look.
    """
    seen = missed(trials, what)
    scores = {name: median(measure.mistakes.get(name, 0.0) for measure in seen) for name in known if seen}
    name = max(scores, key=lambda each: scores[each], default="")
    if not name or not scores[name] >= FITS:
        return None
    return Cause(*known[name], HIGH if scores[name] >= SURELY else MEDIUM)


def typical(trials: list[Trial], what: str, where: str) -> float | None:
    """The median of one measure; None where it was not measured."""
    found = [measure.measured for measure in measured(trials, what) if measure.where == where]
    return median(found) if found else None


def is_missed(trials: list[Trial], what: str, where: str) -> bool:
    """Whether most trials miss this measure."""
    hit = [measure for measure in missed(trials, what) if measure.where == where]
    return 2 * len(hit) > len(trials)
