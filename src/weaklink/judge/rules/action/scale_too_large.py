from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.acting import ActionSweep
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey
from weaklink.base.stats import level
from weaklink.judge.rules._words import name_some
from weaklink.judge.rules.action._effects import EXTREME, select_continuous
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

REAL = 1e-3  # effects below this, in standard deviations of an observation, are too small for a ratio to mean anything

SMALL, HALF = 0.2, 0.5  # shares of the range: a linear action has a fifth and half of its effect there

MOST = 0.9  # the share of states that must show it: all but the odd contact

SWITCH = 3  # courses that a switch can choose between: one way, the other, and neither

# the share of dimensions: BipedalWalker's knees rest at their limits, so a tenth of the torque has the full effect
MOST_DIMENSIONS = 0.75


@dataclass(frozen=True)
class _Saturation:
    """A position with nearly the effect of the end of the range, and the ratio of the two."""

    sweep: ActionSweep
    position: float
    ratio: float


@rule(
    "ACT104",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("EXP301", "EXP303", "ENV105"),
    marks=("excused by learning",),
)
def scale_too_large(survey: Survey, *, ratio: float = 0.9, states: int = 5) -> Answer:
    """A small action has nearly the effect of the largest one.

    ## What it sees
    Continuous dimensions are held at several points of their range from the same states. At a tenth of the range the
    effect is already over 0.9 of that at its end, both at once and later, in nine states of ten, and in three
    dimensions of four, those counted in which all values tried lead to three courses at the most. One dimension is
    enough where a tenth of the range either way is followed by exactly what its end is, and 0 by something else: it is
    full force one way, none, or full force the other. Where it holds for fewer dimensions otherwise, or only from half
    of the range on, it is info.

    ## Why it is bad
    The action is clipped or saturates: the policy can only choose between full force one way and full force the other.
    Fine control is impossible, and over most of the range the gradient with respect to the action is 0.

    ## What to do
    1. Check whether the declared bounds are wider than what `step` clips the action to, and make the two agree.
    2. Look for an action that is scaled twice, once by a wrapper and once inside.
    3. Replace `sign` or a steep `tanh` by a linear scale.

    ## How to prove it
    Divide the action by 10 inside `step`: the effect must now grow in proportion to the action.
    `weaklink preflight ENV` shows it.

    ## When it is wrong
    Actuators that are on or off by nature, motors that reach full speed with part of their torque, and joints that rest
    at their limit.

    ## References
    Practice; Stable-Baselines3, tips for custom environments: unscaled action spaces.
    """
    numbers = select_continuous(survey)
    if not numbers:
        return None
    found: dict[float, list[_Saturation]] = {}
    for most in (SMALL, HALF):
        judged = [sweep for sweep in numbers if len(_compare_with_end(sweep, most)[0]) >= states]
        found[most] = list(filter(None, (_find_saturation(sweep, most, ratio) for sweep in judged)))
    if not judged:
        return CannotTell(("sweeps",), f"no dimension has an effect in {states} states or more")
    small, half, enough = found[SMALL], found[HALF], MOST_DIMENSIONS * len(numbers)
    if small:
        cut = {each.sweep.label for each in small} | {sweep.label for sweep in numbers if _is_switch(sweep)}
        full = [each for each in small if _is_all_or_nothing(each.sweep)]
        alarm = bool(full) or len(cut) >= enough
        found_here = full if full and len(cut) < enough else small
        return _describe(found_here, len(numbers), ratio, Level.WARN if alarm else Level.INFO)
    return _describe(half, len(numbers), ratio, Level.INFO) if half and len(half) >= enough else None


def _is_switch(sweep: ActionSweep) -> bool:
    """Whether all values tried lead to so few different courses that the dimension does no more than a switch does."""
    courses = len(sweep.values) - sum(len(group) - 1 for group in sweep.alike)
    return 1 < courses <= SWITCH and len(sweep.values) > 2 * SWITCH


def _is_all_or_nothing(sweep: ActionSweep) -> bool:
    """Whether every value tried above the middle does exactly the same, every one below it too, and the middle neither.

    A gripper that opens and closes has two courses, and a motor with a dead zone has its middle among others.
    """
    above = tuple(np.flatnonzero(sweep.positions > 0.0).tolist())
    below = tuple(np.flatnonzero(sweep.positions < 0.0).tolist())
    return min(len(above), len(below)) > 1 and {above, below} == set(map(tuple, sweep.alike))


def _compare_with_end(sweep: ActionSweep, most: float) -> tuple[Array, Array, float]:
    """The effect at a small position as a share of that at the end, at once and later, over states and both sides."""
    near, far, position = [], [], 0.0
    for side in (-1.0, 1.0):
        along = sweep.positions * side
        inner = np.flatnonzero((along > 0.0) & (along <= most))
        ends = np.flatnonzero(along >= EXTREME)
        if not len(inner) or not len(ends):
            continue
        place = int(inner[np.argmin(along[inner])] if most < HALF else inner[np.argmax(along[inner])])
        end, position = int(ends[0]), float(along[place])
        with np.errstate(invalid="ignore"):
            real = (sweep.near[:, end] > REAL) & (sweep.far[:, end] > REAL) & np.isfinite(sweep.far[:, end])
        near.append(sweep.near[real, place] / sweep.near[real, end])
        far.append(sweep.far[real, place] / sweep.far[real, end])
    empty = [np.empty(0)]
    return np.concatenate(near or empty), np.concatenate(far or empty), position


def _find_saturation(sweep: ActionSweep, most: float, ratio: float) -> _Saturation | None:
    near, far, position = _compare_with_end(sweep, most)
    if not len(near) or not position:
        return None
    both = (near > ratio) & (far > ratio)
    if float(np.mean(both)) < MOST:
        return None
    return _Saturation(sweep, position, level(near))


def _describe(found: list[_Saturation], of: int, ratio: float, level: Level) -> Finding:
    first, named = found[0], name_some((each.sweep.label for each in found), 4)
    return Finding(
        message=f"At {first.position:g} of its range the action has {first.ratio:.2f} times its effect at the end "
        f"(limit {ratio:g}), in {len(found)} of {of} continuous dimensions: {named}.",
        level=level,
        confidence=HIGH if level is Level.WARN else MEDIUM,
        evidence=tuple(
            Evidence(metric=f"{each.sweep.label} saturation", value=each.ratio, limit=ratio) for each in found[:4]
        ),
    )
