"""Trajectories that should be identical: which ones differ, from which step on, and by how much."""

from __future__ import annotations

import re
from math import inf, isfinite

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, Survey, TrajectoryComparison

FLAGS = ("terminated", "truncated")

_GENERATORS = {
    "numpy.random": "numpy's global generator",
    "numpy": "numpy's global generator",
    "random": "Python's global generator",
    "torch": "torch's global generator",
}

_KEEPS_STATE = re.compile(r"normali[sz]e|episodic_?life|running|moving_?average", re.IGNORECASE)


def select_kinds(survey: Survey, *kinds: str) -> list[TrajectoryComparison]:
    """The comparisons of these kinds that had anything to compare."""
    return [one for one in survey.comparisons if one.kind in kinds and (one.steps > 0 or one.differs_at is not None)]


def select_differing(comparisons: list[TrajectoryComparison]) -> list[TrajectoryComparison]:
    """Those whose trajectories differ, the earliest difference first."""
    return sorted((one for one in comparisons if one.differs_at is not None), key=lambda one: one.differs_at or 0)


def describe_difference(comparison: TrajectoryComparison) -> str:
    """What differed first, where and by how much."""
    what = f"`{comparison.what}`" if comparison.what else "something"
    gap = "" if comparison.what in FLAGS or not isfinite(comparison.gap) else f" by {comparison.gap:.3g}"
    if not comparison.differs_at:
        return f"{what} already differs in the first observation{gap}"
    return f"{what} differs first, at step {comparison.differs_at:,}{gap}"


def scale_gap(survey: Survey, comparison: TrajectoryComparison) -> float:
    """The first difference in standard deviations under random play; infinite where that is unknown."""
    if not isfinite(comparison.gap):
        return inf
    values = _find_values(survey, comparison.what)
    finite = values[np.isfinite(values)] if values is not None else np.empty(0)
    with np.errstate(all="ignore"):
        spread = float(finite.std()) if len(finite) else 0.0
    return abs(comparison.gap) / spread if spread > 0 and isfinite(spread) else inf


def _find_values(survey: Survey, what: str) -> Array | None:
    play = survey.plays.get(RANDOM)
    if play is None:
        return None
    if what == "reward":
        return play.rewards
    if play.observations is None or what not in survey.labels:
        return None
    column = survey.labels.index(what)
    return play.observations[:, column] if column < play.observations.shape[1] else None


def name_global_generators(survey: Survey) -> str:
    """Names the global random generators that a reset or a step draws from; empty where none is known."""
    names = survey.resets.global_draws if survey.resets is not None else ()
    return " and ".join(dict.fromkeys(_GENERATORS.get(name, f"`{name}`") for name in names))


def name_stateful_wrappers(survey: Survey) -> str:
    """Names the wrappers that keep state across episodes by design; empty where there is none."""
    wrappers = survey.facts.get("wrappers") or ()
    return ", ".join(str(name) for name in wrappers if _KEEPS_STATE.search(str(name)))


def is_declared_nondeterministic(survey: Survey) -> bool:
    """Whether the environment is registered as nondeterministic."""
    return bool(survey.facts.get("nondeterministic"))
