from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 2  # in which the same column turns

SWING = 0.2  # of the range of the effect, below which a turn is a ripple

# the quantiles between which that range is measured, since a pole dwarfs all else, and how much must lie there
INNER, LEFT = (0.1, 0.9), 1e-3

SAME = 0.3  # of neighbouring values that lead to the same: then the action is rounded to one of several choices

STILL = 1e-9  # of its size: what changes by less does not


@rule(
    "ACT118",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("ACT104", "OBS110", "REW103", "ENV108", "TSK102", "TSK103", "TSK106"),
)
def erratic_effect(survey: Survey, *, most: float = 6.0) -> Answer:
    """A small change of an action reverses its effect, again and again.

    ## What it sees
    One dimension of a continuous action is taken from its lowest to its highest value in 48 equal steps, from the same
    states, with the same seed and all other actions the same. The next observation does not follow it: in each of two
    states or more the same column goes up and down more than 6 times, each time by a fifth of its whole range or more.
    Worlds whose steps draw random numbers are not asked, nor actions that are rounded to a few choices.

    ## Why it is bad
    A policy that learns by small changes of its actions has no direction to follow: a little more is now better and now
    worse. Noise for exploration covers several turns at once, and all that is learned is their average.

    ## What to do
    1. Compare the unit of the action with that of the formula that it goes into: degrees where radians are expected are
       57 times too large.
    2. Look for a remainder, a wrapped angle or an overflow behind a gain that is far too large.
    3. Scale the action so that its whole range is one push to either side.

    ## How to prove it
    Reset with the same seed, take one action at 20 values close to each other, and plot the next observation over them:
    it must rise or fall, and turn once or twice at the most.

    ## When it is wrong
    Actions that are meant as a number to choose by, such as a phase of many rounds or a seed.

    ## References
    Practice.
    """
    swept = [sweep for sweep in survey.sweeps if sweep.fine.size]
    if not swept:
        return CannotTell(("sweeps",), "no continuous action was swept in small steps")
    found = [(sweep, *worst) for sweep in swept if (worst := _find_most_turns(sweep, most)) is not None]
    if not found:
        return None
    sweep, column, turns = max(found, key=lambda one: one[2])
    shown = survey.labels[column] if column < len(survey.labels) else f"column {column}"
    return Finding(
        message=f"From the lowest to the highest value of {sweep.label}, {sweep.values[0]:g} to {sweep.values[-1]:g}, "
        f"what {shown} shows next changes direction {turns:g} times (limit {most:g}): a small change of the "
        "action may do anything.",
        level=Level.WARN,
        confidence=HIGH if turns > 2 * most else MEDIUM,
        evidence=(Evidence(metric="action.turns_of_effect", value=turns, limit=most),),
    )


def _find_most_turns(sweep: ActionSweep, most: float) -> tuple[int, float] | None:
    """The column that turns most often, and how often it does in the second of the states that it turns most in."""
    turns = [[_count_turns(state[:, column]) for column in range(state.shape[1])] for state in sweep.fine]
    if len(turns) < FEWEST_STATES:
        return None
    common = np.sort(np.array(turns, dtype=float), axis=0)[-FEWEST_STATES]
    column = int(np.argmax(common))
    return (column, float(common[column])) if common[column] > most else None


def _count_turns(effect: Array) -> int:
    """How often it turns, counting swings of a part of its range; 0 where it is still, steps, or is not finite."""
    if not np.isfinite(effect).all():
        return 0
    whole = float(np.ptp(effect))
    if whole <= STILL * (1.0 + float(np.abs(effect).max())) or float(np.mean(np.diff(effect) == 0.0)) > SAME:
        return 0
    effect = np.clip(effect, *np.quantile(effect, INNER))
    reach = float(np.ptp(effect))
    if reach < LEFT * whole:
        return 0
    turns, way, last = 0, 0, float(effect[0])
    for value in effect.tolist():
        step = value - last
        if way == 0 and abs(step) >= SWING * reach:
            way, last = (1 if step > 0 else -1), value
        elif way * step > 0:
            last = value
        elif way * step <= -SWING * reach:
            turns, way, last = turns + 1, -way, value
    return turns
