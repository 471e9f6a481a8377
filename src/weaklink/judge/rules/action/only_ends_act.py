from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules.action._effects import EXTREME, NOTHING, select_continuous
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 5
FEWEST_INNER = 4  # values between the middle and the ends that were tried, on both sides

INNER = 0.45  # positions from here on must be dead too: a dead zone in the middle of a stick is smaller


@rule(
    "ACT113",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("OBS101", "OBS102", "ACT103", "REW105", "TSK102", "TSK103", "TSK106"),
)
def only_ends_act(survey: Survey) -> Answer:
    """Only the ends of a continuous action have an effect.

    ## What it sees
    Each continuous dimension is taken through its range from several states. In every state the values within half of
    the range on either side give exactly the observations and rewards of the middle, while both ends change them. It is
    a warning where that holds for every continuous dimension, and info where it holds for some.

    ## Why it is bad
    A new policy acts around the middle of the range, where nothing happens: it sees no effect of its actions, and no
    gradient leads to the ends. What needs a small force cannot be done at all.

    ## What to do
    1. Look for a cast to a whole number (`int(action[0])`, an array of integers), for `//` and for `round`.
    2. Where the actuator has a few levels, declare a discrete space.

    ## How to prove it
    Reset twice with the same seed and step with the middle, then with half of the range: the observations must differ.

    ## When it is wrong
    A switch that is thrown by large values only, as a press on a button is.

    ## References
    Practice.
    """
    numbers = select_continuous(survey)
    sweeps = [sweep for sweep in numbers if len(sweep.near) >= FEWEST_STATES and _count_inner(sweep) >= FEWEST_INNER]
    if not sweeps:
        why = f"no dimension was tried inside of its range from {FEWEST_STATES} states or more"
        return CannotTell(("sweeps",), why) if numbers else None
    dead = [sweep.label for sweep in sweeps if _is_dead_inside(sweep)]
    if not dead:
        return None
    every = len(dead) == len(numbers)
    return Finding(
        message=f"Values of {join_names(dead)} up to half of the range do exactly what the middle does, in each of "
        f"{min(len(sweep.near) for sweep in sweeps)} states, and the ends do not"
        f"{'' if every else f' ({len(dead)} of {len(numbers)} dimensions)'}, as where actions are cast to whole "
        "numbers.",
        level=Level.WARN if every else Level.INFO,
        confidence=HIGH if every else MEDIUM,
        evidence=(Evidence(metric="action.dead_inside", value=float(len(dead)), limit=0.0),),
    )


def _mark_inner(sweep: ActionSweep) -> Flags:
    return np.asarray((sweep.positions != 0) & (np.abs(sweep.positions) < EXTREME))


def _count_inner(sweep: ActionSweep) -> int:
    """Values that were tried inside of the range; none where they do not go far enough on both sides."""
    inner = sweep.positions[_mark_inner(sweep)]
    return len(inner) if len(inner) and min(inner.max(), -inner.min()) >= INNER else 0


def _is_dead_inside(sweep: ActionSweep) -> bool:
    """Whether no value inside of the range ever differs from the middle, and both ends do in most states."""
    effects = (sweep.near, sweep.far, sweep.near_reward, sweep.far_reward)
    alive = np.any([~(np.abs(effect) <= NOTHING) for effect in effects], axis=0)
    inner = _mark_inner(sweep)
    low, high = alive[:, sweep.positions <= -EXTREME], alive[:, sweep.positions >= EXTREME]
    return not alive[:, inner].any() and min(low.any(axis=1).mean(), high.any(axis=1).mean()) > 0.5
