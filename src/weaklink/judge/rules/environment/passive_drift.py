from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, ZERO, Play, Survey
from weaklink.base.stats import level
from weaklink.judge.rules.environment._clock import find_clock_columns
from weaklink.judge.rules.writing import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level, Link, rule

BLOCKS = 8
# growth from one eighth of an episode to the next: more than constant speed or free fall gives in the later ones
MULTIPLIES = 1.5

BEYOND_ORDINARY = 20.0  # times the usual distance from the median under random play: far outside of what agents visit

FEW_EPISODES = 5  # below this, each episode must show the whole drift; from here on half of it will do in single ones


@rule(
    "ENV105",
    link=Link.ENVIRONMENT,
    level=Level.INFO,
    on=Survey,
    needs=("zero",),
    leads_to=("OBS103", "OBS104", "OBS105", "REW104", "REW108", "REW111", "TSK105"),
)
def passive_drift(survey: Survey, *, steps: int = 100, drift: float = 1.0, runaway: float = 1000.0) -> Answer:
    """The state moves although the action is zero.

    ## What it sees
    Episodes in which the action is always zero. It is an error where numbers that are finite under random play become
    NaN or infinite, or where they multiply from each eighth of the episode to the next until its end and have grown
    more than a thousandfold. A column that moves the same way in every episode, within 100 steps, by at least its
    standard deviation under random play, is reported as info, with numbers.

    ## Why it is bad
    Where the state should rest, drift means an actuator offset, gravity where there should be none, or an integrator
    with positive feedback. Values that blow up ruin normalisers and critics long before they overflow.

    ## What to do
    1. Ask whether the system should rest: a robot that falls without control is fine.
    2. Look for an offset between action 0 and no action, such as an action range that is not centred on zero.
    3. For values that blow up, reduce the time step, bound the state, or end the episode earlier.
    4. For NaN or infinite values, look for a division by the size of the action.

    ## How to prove it
    `weaklink preflight ENV --select ENV105`. By hand: take 100 steps with the zero action and print what changes most.

    ## When it is wrong
    Falling, rolling and swinging are motions too: the rule cannot know what should rest. Growth may be the task itself,
    as in an epidemic without treatment.

    ## References
    Practice: the zero-action test of simulated robots.
    """
    zero, random = survey.plays[ZERO], survey.plays.get(RANDOM)
    if zero.observations is None or not zero.observations.size:
        return CannotTell(("zero",), "its observations were not kept")
    numbers = _find_numeric_columns(survey, zero.observations.shape[1])
    other = _find_comparable(random, zero.observations.shape[1])
    found = _find_non_finite(survey, zero, other) or _find_blow_up(survey, zero, other, numbers, runaway)
    if found is not None:
        return found
    if other is None or random is None:
        return CannotTell(("random",), "there is no random play to compare the motion with")
    return _find_drift(survey, zero, other, numbers & ~find_clock_columns(random), steps, drift)


def _find_numeric_columns(survey: Survey, width: int) -> NDArray[np.bool_]:
    """Finds the numeric columns; only these can drift."""
    kinds = survey.column_kinds
    return np.array([kind == "number" for kind in kinds]) if len(kinds) == width else np.ones(width, dtype=bool)


def _find_comparable(play: Play | None, width: int) -> Array | None:
    """The observations of random play, where there are any of this width."""
    rows = None if play is None else play.observations
    return rows if rows is not None and len(rows) > 0 and rows.shape[1] == width else None


def _label(survey: Survey, column: int) -> str:
    return survey.labels[column] if column < len(survey.labels) else f"observation[{column}]"


def _trace_episode(play: Play, episode: int) -> Array | None:
    """The observations of one episode as far as they were kept, including the final one."""
    if play.observations is None:
        return None
    start = int(play.starts[episode])
    end = min(start + int(play.lengths[episode]), play.kept)
    if end <= start:
        return None
    rows = play.observations[start:end]
    return rows if play.successors is None else np.concatenate([rows, play.successors[end - 1 : end]])


def _find_non_finite(survey: Survey, zero: Play, other: Array | None) -> Finding | None:
    """The first value that becomes NaN or infinite although its column is always finite under random play."""
    ordinary = np.isfinite(other).all(axis=0) if other is not None else True
    for episode in range(len(zero.lengths)):
        path = _trace_episode(zero, episode)
        if path is None:
            break
        ill = ~np.isfinite(path) & ordinary & np.isfinite(path[0])
        if ill.any():
            step = int(np.flatnonzero(ill.any(axis=1))[0])
            column = int(np.flatnonzero(ill[step])[0])
            return Finding(
                message=f"The zero action turns `{_label(survey, column)}` into {path[step, column]} at step {step:,} "
                "of an episode, while it stays finite under random play.",
                level=Level.ERROR,
                confidence=HIGH,
                evidence=(Evidence(metric=_label(survey, column), value=float(path[step, column]), step=float(step)),),
            )
    return None


def _find_blow_up(
    survey: Survey, zero: Play, other: Array | None, numbers: NDArray[np.bool_], runaway: float
) -> Finding | None:
    """A column that multiplies until the end of the longest episode, far beyond its usual range."""
    path = _trace_episode(zero, int(np.argmax(zero.lengths))) if len(zero.lengths) else None
    if path is None or len(path) <= 5 * BLOCKS:
        return None
    with np.errstate(all="ignore"):
        away = np.abs(path[1:] - path[0])
        away[~np.isfinite(away)] = 0.0
        reach = np.maximum.reduceat(away, (np.arange(BLOCKS) * len(away)) // BLOCKS)
        times = reach[1:] / reach[:-1]
        steadily, still = np.all(times > MULTIPLIES, axis=0), np.all(times[-BLOCKS // 2 :] > MULTIPLIES, axis=0)
        grown = np.where(reach[0] > 0, reach[-1] / reach[0], 0.0)
        ill = numbers & steadily & (grown > runaway)
        if other is not None:
            usual, most = _measure_usual(other)
            ill = (ill & (reach[-1] > BEYOND_ORDINARY * usual)) | (numbers & still & (reach[-1] > runaway * most))
    if not ill.any():
        return None
    column = int(np.argmax(np.where(ill, reach[-1], 0.0)))
    name, length = _label(survey, column), len(path) - 1
    return Finding(
        message=f"The zero action makes `{name}` blow up: it moves by {reach[0, column]:.3g} in the first eighth of an "
        f"episode of {length:,} steps and by {reach[-1, column]:.3g} in the last, and it is still growing.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=float(reach[-1, column]), step=float(length)),),
    )


def _measure_usual(rows: Array) -> tuple[Array, Array]:
    """The median and the largest distance of columns from their median under random play, at least 1e-3."""
    finite = np.where(np.isfinite(rows), rows, 0.0)
    middle = np.array([level(column) for column in finite.T])
    away = np.abs(finite - middle)
    usual = np.array([level(column) for column in away.T])
    return np.maximum(usual, 1e-3), np.maximum(np.maximum(away.max(axis=0), np.abs(finite).max(axis=0)), 1e-3)


def _find_drift(
    survey: Survey, zero: Play, other: Array, numbers: NDArray[np.bool_], steps: int, drift: float
) -> Finding | None:
    """A column that moves the same way in every episode, by at least its standard deviation under random play."""
    paths = [
        path for path in (_trace_episode(zero, episode) for episode in range(len(zero.lengths))) if path is not None
    ]
    whole = [path for path in paths[:-1] if len(path) > 10] + [path for path in paths[-1:] if len(path) > steps]
    if len(whole) < 2:
        return None
    moved = np.array([path[min(steps, len(path) - 1)] - path[0] for path in whole])
    finite = np.isfinite(other).all(axis=0) & np.isfinite(moved).all(axis=0)
    with np.errstate(all="ignore"):
        spread = other.std(axis=0)
        size = np.where(numbers & finite & (spread > 0), np.abs(moved) / spread, 0.0)
    one_way = np.all(moved > 0, axis=0) | np.all(moved < 0, axis=0)
    least = drift if len(whole) < FEW_EPISODES else 0.5 * drift
    told = np.where(one_way & (size.min(axis=0) >= least), size.mean(axis=0), 0.0)
    column = int(np.argmax(told))
    if told[column] < drift:
        return None
    by = float(moved[:, column].mean())
    return Finding(
        message=f"The zero action moves the state: `{_label(survey, column)}` changes by {by:+.3g} within {steps:,} "
        f"steps, {told[column]:.1f} times its standard deviation under random play, and "
        f"{np.count_nonzero(told >= drift)} of {len(told)} columns drift like this, in all {len(whole)} episodes.",
        level=Level.INFO,
        confidence=HIGH if len(whole) >= FEW_EPISODES else MEDIUM,
        evidence=(Evidence(metric=_label(survey, column), value=float(told[column]), limit=drift, step=float(steps)),),
    )
