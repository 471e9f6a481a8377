"""Trajectories that ought to be the same: which are not, where they part, and by how much."""

from __future__ import annotations

import re
from math import inf, isfinite

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Comparison, Survey

FLAGS = ("terminated", "truncated")

_GENERATORS = {
    "numpy.random": "numpy's global generator",
    "numpy": "numpy's global generator",
    "random": "Python's global generator",
    "torch": "torch's global generator",
}

_KEEPS_STATE = re.compile(r"normali[sz]e|episodic_?life|running|moving_?average", re.IGNORECASE)


def of_kind(survey: Survey, *kinds: str) -> list[Comparison]:
    """The comparisons of these kinds that had anything to compare."""
    return [one for one in survey.comparisons if one.kind in kinds and (one.steps > 0 or one.differs_at is not None)]


def differing(comparisons: list[Comparison]) -> list[Comparison]:
    """Those that are not the same, the earliest parting first."""
    return sorted((one for one in comparisons if one.differs_at is not None), key=lambda one: one.differs_at or 0)


def parting(comparison: Comparison) -> str:
    """What differed first, where and by how much."""
    what = f"`{comparison.what}`" if comparison.what else "something"
    gap = "" if comparison.what in FLAGS or not isfinite(comparison.gap) else f" by {comparison.gap:.3g}"
    if not comparison.differs_at:
        return f"{what} differs in the observation of the reset already{gap}"
    return f"{what} differs first, at step {comparison.differs_at:,}{gap}"


def relative_gap(survey: Survey, comparison: Comparison) -> float:
    """The first difference in units of the spread under random play; infinite where that is not known."""
    if not isfinite(comparison.gap):
        return inf
    values = _values(survey, comparison.what)
    finite = values[np.isfinite(values)] if values is not None else np.empty(0)
    with np.errstate(all="ignore"):
        spread = float(finite.std()) if len(finite) else 0.0
    return abs(comparison.gap) / spread if spread > 0 and isfinite(spread) else inf


def _values(survey: Survey, what: str) -> Array | None:
    play = survey.plays.get(RANDOM)
    if play is None:
        return None
    if what == "reward":
        return play.rewards
    if play.observations is None or what not in survey.labels:
        return None
    column = survey.labels.index(what)
    return play.observations[:, column] if column < play.observations.shape[1] else None


def global_generators(survey: Survey) -> str:
    """The global generators that a reset or a step draws from, in words; empty where none is known."""
    names = survey.resets.global_draws if survey.resets is not None else ()
    return " and ".join(dict.fromkeys(_GENERATORS.get(name, f"`{name}`") for name in names))


def keeps_state(survey: Survey) -> str:
    """Wrappers that carry something from one episode into the next by design; empty where there is none."""
    wrappers = survey.facts.get("wrappers") or ()
    return ", ".join(str(name) for name in wrappers if _KEEPS_STATE.search(str(name)))


def declared_nondeterministic(survey: Survey) -> bool:
    """Whether the environment says of itself that it cannot be repeated."""
    return bool(survey.facts.get("nondeterministic"))
