from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, TERMINATED, ZERO, Survey
from weaklink.judge.rules.writing import MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_EPISODES = 5
WIDEST = 64
SWINGS = 5  # whole half swings, each beyond the one before
STRAIGHT = 0.98  # how closely the logarithm of their size follows a straight line


@rule(
    "ENV117",
    link=Link.ENVIRONMENT,
    level=Level.WARN,
    on=Survey,
    needs=("observation", ZERO),
    leads_to=("OBS103", "OBS105", "REW104", "REW108", "TSK102"),
)
def swing_grows(survey: Survey, *, growth: float = 1.15) -> Answer:
    """Without any action a swing grows by itself.

    ## What it sees
    The zero action is held. A number swings to both sides of zero, and each of five half swings is larger than the one
    before by the same factor, 15 % or more, in nearly every episode, and no episode terminates. Noise makes no such
    row, and a body that falls does not swing.

    ## Why it is bad
    What swings loses energy. Where it gains some from nothing, a sign is wrong or the integration is unstable, and
    the policy learns to fight a fault of the simulation.

    ## What to do
    1. Check the sign of damping and friction: the force is against the speed.
    2. Halve the time step: if the growth changes, integrate in smaller steps, or update speeds before positions.

    ## How to prove it
    Hold the zero action and print the sum of kinetic and potential energy: it must not grow.

    ## When it is wrong
    A task whose point is a system that swings up by itself, such as flutter.

    ## References
    Hairer, Lubich and Wanner, Geometric Numerical Integration, 2006, chapter I; practice.
    """
    play = survey.plays[ZERO]
    if play.observations is None or not 0 < len(survey.labels) <= WIDEST:
        return None
    whole = play.starts + play.lengths <= play.kept
    spans = list(zip(play.starts[whole].tolist(), play.lengths[whole].tolist(), strict=True))
    if len(spans) < FEWEST_EPISODES or bool(np.any((play.ends == TERMINATED) | (play.ends == BOTH))):
        return CannotTell((ZERO,), f"fewer than {FEWEST_EPISODES} episodes of the zero action, or some terminate")
    for place, kind in enumerate(survey.column_kinds):
        if kind != "number":
            continue
        ways = [play.observations[start : start + length, place] for start, length in spans]
        factors = [max(_measure_growth(way), _measure_growth(way - _find_centre(way))) for way in ways]
        if np.mean([factor >= growth for factor in factors]) >= 0.9:
            usual = float(np.median(factors))
            return Finding(
                message=f"Under the zero action each half swing of {survey.labels[place]} is {usual:.2f} times as "
                f"large as the one before (limit {growth:g}), in {len(spans)} episodes: it gains energy by itself.",
                confidence=MEDIUM,
                evidence=(Evidence(metric="growth of a half swing", value=usual, limit=growth),),
            )
    return None


def _find_centre(values: Array) -> float:
    """What a swing goes about, by its turning points: where a row that grows by one factor comes from (Aitken)."""
    turns = values[1:-1][np.diff(np.sign(np.diff(values))) != 0]
    first, second, third = turns[:-2], turns[1:-1], turns[2:]
    bends = first + third - 2.0 * second
    known = np.isfinite(bends) & (bends != 0.0)
    if not known.any():
        return 0.0
    return float(np.median((first * third - second**2)[known] / bends[known]))


def _measure_growth(values: Array) -> float:
    """The factor by which each half swing about zero is larger than the one before; 0 where they are not a row."""
    if not np.isfinite(values).all():
        return 0.0
    sides = np.flatnonzero(np.diff(np.sign(values)) != 0) + 1
    sizes = np.array([np.abs(part).max() for part in np.split(values, sides)[1:-1]][: SWINGS + 1])
    if len(sizes) < SWINGS or sizes.min() <= 0.0 or not np.all(np.diff(sizes) > 0):
        return 0.0
    logs, places = np.log(sizes), np.arange(len(sizes))
    followed = float(np.corrcoef(places, logs)[0, 1]) ** 2
    return float(np.exp(np.polyfit(places, logs, 1)[0])) if followed >= STRAIGHT else 0.0
