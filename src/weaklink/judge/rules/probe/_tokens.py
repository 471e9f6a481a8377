"""Why a rung for language models fails: its measures beside the predictions of known mistakes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from statistics import median

from weaklink.base.evidence.outcome import RungTrial
from weaklink.judge.rules.probe._cause import Cause, measured, missed
from weaklink.judge.rules.writing import HIGH, MEDIUM, Link

FITS = 0.85
"""The correlation with the prediction of a mistake from which on the mistake is named."""

SURELY = 0.97
"""The correlation from which on it is certain: the rung itself asks a right gradient for as much."""


def no_numbers(trials: list[RungTrial]) -> Cause | None:
    """Some answers are NaN or infinite."""
    if all(math.isfinite(measure.measured) for trial in trials for measure in trial.measures):
        return None
    return Cause(
        Link.RETURNS,
        "the weights are NaN: something divides by zero, such as by the standard deviation of a group whose "
        "rewards are all equal",
        "the epsilon in the denominator of (reward - mean) / (std + 1e-4), and means over masks that may be empty",
        MEDIUM,
    )


def best_mistake(trials: list[RungTrial], what: str, known: Mapping[str, tuple[Link, str, str]]) -> Cause | None:
    """The known mistake that explains what was measured, where one does.

    Args:
        trials: those that failed.
        what: the measure whose predictions are compared.
        known: for each mistake the link it blames, what is wrong, and where to look.
    """
    seen = missed(trials, what)
    scores = {name: median(measure.mistakes.get(name, 0.0) for measure in seen) for name in known if seen}
    name = max(scores, key=lambda each: scores[each], default="")
    if not name or not scores[name] >= FITS:
        return None
    return Cause(*known[name], HIGH if scores[name] >= SURELY else MEDIUM)


def typical(trials: list[RungTrial], what: str, where: str) -> float | None:
    """The median of one measure; None where it was not measured."""
    found = [measure.measured for measure in measured(trials, what) if measure.where == where]
    return median(found) if found else None


def is_missed(trials: list[RungTrial], what: str, where: str) -> bool:
    """Whether most trials miss this measure."""
    hit = [measure for measure in missed(trials, what) if measure.where == where]
    return 2 * len(hit) > len(trials)
