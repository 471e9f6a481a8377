from __future__ import annotations

import numpy as np

from weaklink.base.evidence.acting import ActionSweep, ActionTrials
from weaklink.base.evidence.survey import Flags, Survey
from weaklink.base.evidence.wrapping import WrapperLayer
from weaklink.judge.rules._words import join_names
from weaklink.judge.rules._wrappers import find_half_passed
from weaklink.judge.rules.action._effects import NOTHING, select_continuous
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

FEWEST_STATES = 5  # states in each of which one half does nothing: a body at a wall cannot go one way in some of them

# of the states swept, those in which anything shows at all, and of the single actions tried: a store that is full
FEWEST_LIVE, FEWEST_TRIALS = 3, 8


@rule(
    "ACT108",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("REW105", "TSK102", "TSK103", "TSK106"),
)
def half_range_dead(survey: Survey) -> Answer:
    """Half of the range of every action does nothing.

    ## What it sees
    Each continuous dimension is taken through its range from several states. In every state all values of one half, up
    to its end, give exactly the same observations and rewards as the middle, while those of the other half change them.
    It is a warning where that holds for every dimension of the action, and info where it holds for some: an engine that
    is off below zero is a common design. Or a wrapper passes on one half of the range that the environment inside
    takes, and never the other.

    ## Why it is bad
    Half of what the policy tries is wasted, and what the dead half should do, such as moving to the left, can never be
    done. The actions of a new policy are centred on the edge of the dead half.

    ## What to do
    1. Look for a clip inside `step` (`np.clip(action, 0, 1)`) that does not fit `action_space`, and clip to the bounds
       of the space instead.
    2. Where a wrapper maps actions to another range, compare that with `action_space` of the environment inside, which
       may map them once more.
    3. Where the actuator is one-sided, map the whole range to it: `(action + 1) / 2`, or declare the space from 0 to 1.

    ## How to prove it
    Reset twice with the same seed and step with the lowest action, then with the middle: the observations must differ.
    `weaklink preflight ENV --select ACT108` does so for each dimension.

    ## When it is wrong
    One-sided actuators that are meant to be off over half of their range, where every action is one.

    ## References
    Practice; Gymnasium, `RescaleAction` and `ClipAction`; LunarLander's main engine is off below zero on purpose.
    """
    half = find_half_passed(survey)
    if half is not None:
        return _describe_wrapper(*half)
    numbers = select_continuous(survey)
    sweeps = [sweep for sweep in numbers if len(sweep.near) >= FEWEST_STATES and len(sweep.positions) >= 3]
    if not sweeps:
        why = f"no dimension was tried from {FEWEST_STATES} states or more"
        return CannotTell(("sweeps",), why) if numbers else None
    halves = {sweep.label: _find_dead_half(sweep, survey.trials) for sweep in sweeps}
    dead = {label: half for label, half in halves.items() if half}
    if not dead:
        return None
    every = len(dead) == len(numbers) == len(survey.sweeps)
    return Finding(
        message=f"The {join_names(dict.fromkeys(dead.values()))} half of the range of {join_names(dead)} does exactly "
        f"what the middle does, in each of {min(len(sweep.near) for sweep in sweeps)} states"
        f"{'' if every else f' ({len(dead)} of {len(survey.sweeps)} dimensions)'}.",
        level=Level.WARN if every else Level.INFO,
        confidence=HIGH if every and len(dead) > 1 else MEDIUM,
        evidence=(Evidence(metric="action.half_dead", value=float(len(dead)), limit=0.0),),
    )


def _describe_wrapper(layer: WrapperLayer, half: str) -> Finding:
    low, high = float(layer.actions_out.min()), float(layer.actions_out.max())
    return Finding(
        message=f"The wrapper `{layer.name}` passes on actions from {low:.3g} to {high:.3g} only, in {layer.steps:,} "
        f"steps, the {half} half of what the environment inside takes ({layer.bounds[0].min():.3g} to "
        f"{layer.bounds[1].max():.3g}): the other half can never be chosen.",
        level=Level.WARN,
        confidence=MEDIUM,
        evidence=(Evidence(metric="action.half_dead", value=1.0, limit=0.0),),
    )


def _find_dead_half(sweep: ActionSweep, trials: ActionTrials | None) -> str:
    """Which half of the range never differs from the middle while the other one does; empty where neither."""
    alive = _find_effects(sweep)
    lower, upper = alive[:, sweep.positions < 0], alive[:, sweep.positions > 0]
    half = "lower" if not lower.any() else "upper" if not upper.any() else ""
    live = int(alive.any(axis=1).sum())
    if not half or live > 0.5 * len(alive):
        return half if live else ""
    # where most states are at a limit and nothing shows, those of the single actions must say the same
    return half if live >= FEWEST_LIVE and _is_dead_there(trials, sweep.dimension, half) else ""


def _is_dead_there(trials: ActionTrials | None, dimension: int, half: str) -> bool:
    """Whether the end of this half does what the middle does in every state of the trials, and the other end not."""
    if trials is None or len(trials.rows) < FEWEST_TRIALS or len(trials.actions) < 2 * dimension + 3:
        return False
    low, high = 2 * dimension + 1, 2 * dimension + 2
    dead, other = (low, high) if half == "lower" else (high, low)

    def differs(one: int) -> Flags:
        rows = ~np.all(
            np.isclose(trials.rows[:, one], trials.rows[:, 0], rtol=0.0, atol=NOTHING, equal_nan=True), axis=1
        )
        paid = ~np.isclose(trials.rewards[:, one], trials.rewards[:, 0], rtol=0.0, atol=NOTHING, equal_nan=True)
        return np.asarray(rows | paid)

    return not differs(dead).any() and int(differs(other).sum()) >= FEWEST_TRIALS


def _find_effects(sweep: ActionSweep) -> Flags:
    """Where a value gives other observations or rewards than the middle; what is not finite counts as different."""
    effects = (sweep.near, sweep.far, sweep.near_reward, sweep.far_reward)
    return np.asarray(np.any([~(np.abs(effect) <= NOTHING) for effect in effects], axis=0))
