from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.judge.rules.observation._columns import KeptObservations, label_column, list_plays, write_tuple
from weaklink.judge.rules.writing import HIGH, Answer, CannotTell, Evidence, Finding, Level, Link, rule


@dataclass(frozen=True)
class _Place:
    """Where the first NaN or infinity is: a step of a play, and whether the reset returned it."""

    policy: str
    step: int
    of_reset: bool
    column: int
    value: float
    action: Array | None


@rule(
    "OBS104",
    link=Link.OBSERVATION,
    level=Level.ERROR,
    on=Survey,
    needs=(("plays", "resets"),),
    leads_to=("REW111", "OBS105", "OBS108", "OBS110", "OPT300"),
)
def non_finite(survey: Survey) -> Answer:
    """An observation contains NaN or infinity.

    ## What it sees
    The first NaN or infinite number in any observation of any play or reset: its step, its column, and the action
    before it.

    ## Why it is bad
    One such number makes the whole output of the network NaN, then its gradients, then its weights. Running normalisers
    never recover from it. Hours later the training dies with an unrelated error message.

    ## What to do
    1. Repeat the action named here from the state named here and look at what the simulation computes.
    2. Look for divisions by a length or a standard deviation that can be 0, for roots and logarithms of negative
       numbers, and for a physics time step that is too long.
    3. End the episode where the simulation has broken, and give a sensor without an echo a finite value.

    ## How to prove it
    Raise an exception in `step` when `numpy.isfinite(observation).all()` is false: it must stop at this step. After the
    fix `weaklink preflight ENV` must report nothing.

    ## When it is wrong
    Infinity may mean "nothing there". A network still cannot use it.

    ## References
    legged_lab issue #15; rsl_rl issue #185; Stable-Baselines3, documentation of `VecCheckNan`.
    """
    plays = list_plays(survey)
    if not plays and survey.resets is None:
        return CannotTell(("observation",), "no observation was kept as numbers")
    places = [place for each in plays if (place := _find_first(each)) is not None]
    if not places:
        return _check_resets(survey)
    place = min(places, key=lambda each: each.step)
    total = sum(len(each.after) for each in plays)
    count = sum(int(np.count_nonzero(_mark_steps(each))) for each in plays)
    came = "returned by the reset" if place.of_reset else f"after the action {_write_action(place.action)}"
    return Finding(
        message=f"{label_column(survey, place.column)} is {_write_value(place.value)} at step {place.step:,} of "
        f"{place.policy} play, {came}; {count:,} of {total:,} steps start or end with such an observation.",
        confidence=HIGH,
        evidence=(
            Evidence(metric=label_column(survey, place.column), value=place.value, step=place.step),
            Evidence(metric="observation.non_finite_steps", value=float(count), limit=0.0),
        ),
    )


def _find_first(kept: KeptObservations) -> _Place | None:
    """Finds the first NaN or infinity: in an observation that a reset returned, or in one after an action."""
    policy, play, before, after = kept
    ill = [np.flatnonzero(~np.isfinite(rows).all(axis=1)) for rows in (before, after)]
    steps = [int(found[0]) if len(found) else len(before) for found in ill]
    step = min(steps)
    if step == len(before):
        return None
    of_reset = steps[0] == step
    row = (before if of_reset else after)[step]
    column = int(np.flatnonzero(~np.isfinite(row))[0])
    action = None if of_reset or play.actions is None or step >= len(play.actions) else play.actions[step]
    return _Place(policy, step, of_reset, column, float(row[column]), action)


def _mark_steps(kept: KeptObservations) -> Flags:
    """For each step whether it starts or ends with an observation that is not finite."""
    return np.asarray(~(np.isfinite(kept.before).all(axis=1) & np.isfinite(kept.after).all(axis=1)))


def _check_resets(survey: Survey) -> Answer:
    if survey.resets is None:
        return None
    rows = [part for part in (survey.resets.seeded, survey.resets.unseeded) if part.ndim == 2]
    ill = [row for part in rows for row in part if not np.isfinite(row).all()]
    if not ill:
        return None
    column = int(np.flatnonzero(~np.isfinite(ill[0]))[0])
    value, total = float(ill[0][column]), sum(len(part) for part in rows)
    return Finding(
        message=f"{label_column(survey, column)} is {_write_value(value)} after {len(ill)} of {total} resets.",
        confidence=HIGH,
        evidence=(Evidence(metric=label_column(survey, column), value=value, step=0),),
    )


def _write_action(action: Array | None) -> str:
    if action is None:
        return "before it"
    return f"{float(action[0]):g}" if len(action) == 1 else write_tuple(action)


def _write_value(value: float) -> str:
    return "NaN" if math.isnan(value) else "infinite" if value > 0 else "minus infinite"
