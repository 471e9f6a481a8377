from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Survey, Sweep
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.action._effects import EXTREME, numeric

REAL = 1e-3
"""An effect, in units of the spread of an observation, from which on it is one to speak of."""

SMALL, HALF = 0.2, 0.5
MOST = 0.9
"""The share of states that has to show it."""

MOST_DIMENSIONS = 0.75
"""The share of dimensions: the knees of BipedalWalker rest at their limits, so a tenth of their torque does it all."""


@dataclass(frozen=True)
class _Saturation:
    """A position whose effect is nearly that of the end of the range, and how nearly."""

    sweep: Sweep
    position: float
    ratio: float


@rule(
    "ACT104",
    link=Link.ACTION,
    level=Level.WARN,
    on=Survey,
    needs=("action", "sweeps"),
    leads_to=("EXP301", "EXP303", "ENV105"),
)
def scale_too_large(survey: Survey, *, ratio: float = 0.9, states: int = 5) -> Answer:
    """A small action has nearly the effect of the largest one.

    ## What it sees
    Continuous dimensions are held at several places of their range from the same states. At a tenth of the range the
    effect is already over 0.9 of that at its end, at once and later, in nine states of ten, and in three dimensions of
    four. Where that is so for fewer dimensions, or only from half of the range on, it is worth knowing.

    ## Why it is bad
    The action is clipped or saturates: the policy can only choose between full force one way and full force the other.
    Fine control is impossible, and over most of the range the gradient of the action is 0.

    ## What to do
    1. Check whether the declared bounds are wider than what `step` clips the action to, and bring the two together.
    2. Look for an action that is scaled twice, once by a wrapper and once inside.
    3. Replace `sign` or a steep `tanh` by a linear scale.

    ## How to prove it
    Divide the action by 10 inside `step`: the effect must now grow in proportion to the action.
    `weaklink preflight ENV` shows it.

    ## When it is wrong
    Actuators that are on or off by nature, motors that reach their speed with a part of their torque, and joints that
    rest at their limit.

    ## References
    Practice; Stable-Baselines3, tips for custom environments: unscaled action spaces.
    """
    numbers = numeric(survey)
    if not numbers:
        return None
    judged = [sweep for sweep in numbers if len(_pairs(sweep, SMALL)[0]) >= states]
    halves = [sweep for sweep in numbers if len(_pairs(sweep, HALF)[0]) >= states]
    if not halves:
        return CannotTell(("sweeps",), f"no dimension has an effect in {states} states or more")
    small = [each for sweep in judged if (each := _saturated(sweep, SMALL, ratio)) is not None]
    half = [each for sweep in halves if (each := _saturated(sweep, HALF, ratio)) is not None]
    if small and len(small) >= MOST_DIMENSIONS * len(numbers):
        return _finding(small, len(numbers), ratio, Level.WARN)
    found = small or (half if len(half) >= MOST_DIMENSIONS * len(numbers) else [])
    return _finding(found, len(numbers), ratio, Level.INFO) if found else None


def _pairs(sweep: Sweep, most: float) -> tuple[Array, Array, float]:
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


def _saturated(sweep: Sweep, most: float, ratio: float) -> _Saturation | None:
    near, far, position = _pairs(sweep, most)
    if not len(near) or not position:
        return None
    both = (near > ratio) & (far > ratio)
    if float(np.mean(both)) < MOST:
        return None
    return _Saturation(sweep, position, level(near))


def _finding(found: list[_Saturation], of: int, ratio: float, level: Level) -> Finding:
    named = ", ".join(each.sweep.label for each in found[:4]) + (
        f" and {len(found) - 4} more" if len(found) > 4 else ""
    )
    first = found[0]
    return Finding(
        message=f"At {first.position:g} of its range the action has {first.ratio:.2f} of the effect that it has at the "
        f"end (limit {ratio:g}), in {len(found)} of {of} continuous dimensions: {named}.",
        level=level,
        confidence=HIGH if level is Level.WARN else MEDIUM,
        evidence=tuple(
            Evidence(metric=f"{each.sweep.label} saturation", value=each.ratio, limit=ratio) for each in found[:4]
        ),
    )
