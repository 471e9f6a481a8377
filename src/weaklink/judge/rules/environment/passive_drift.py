from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import RANDOM, ZERO, Play, Survey
from weaklink.base.finding import HIGH, MEDIUM, Answer, CannotTell, Evidence, Finding, Level
from weaklink.base.loop import Link
from weaklink.base.stats import level
from weaklink.judge.rules._registry import rule
from weaklink.judge.rules.environment._clock import clock_columns

BLOCKS = 8
MULTIPLIES = 1.5
"""From one eighth of an episode to the next: more than any steady speed or fall brings about in the later ones."""

BEYOND_ORDINARY = 20.0
FEW_EPISODES = 5


@rule(
    "ENV105",
    link=Link.ENVIRONMENT,
    level=Level.INFO,
    on=Survey,
    needs=("zero",),
    leads_to=("OBS103", "OBS104", "OBS105", "REW104", "REW108", "REW111", "TSK105"),
)
def passive_drift(survey: Survey, *, steps: int = 100, drift: float = 1.0, runaway: float = 1000.0) -> Answer:
    """The state moves although nothing is done.

    ## What it sees
    Episodes in which the action is zero throughout. It is an error where numbers stop being finite that are finite
    under random play, or where they multiply from one eighth of the episode to the next until its end and have grown
    more than a thousandfold. Where a column moves the same way in every episode, within 100 steps, by at least its
    spread under random play, that is told with figures as worth knowing.

    ## Why it is bad
    Where the state should rest, drift means an offset in an actuator, gravity where there should be none, or an
    integrator that feeds itself. Numbers that run away ruin normalisers and critics long before they overflow.

    ## What to do
    1. Ask whether the system should rest: a robot that falls without control is in order.
    2. Look for an offset between action 0 and doing nothing, such as a range that is not centred.
    3. For numbers that run away, make the time step smaller, bound the state, or end the episode before.
    4. For numbers that are not finite, look for a division by the size of the action.

    ## How to prove it
    `weaklink preflight ENV --select ENV105`. By hand: step 100 times with the zero action and print what changes most.

    ## When it is wrong
    Falling, rolling and swinging are motions too: the rule cannot know what should rest. Growth may be the task itself,
    as in an epidemic that nobody fights.

    ## References
    Practice: the zero-action test of simulated robots.
    """
    zero, random = survey.plays[ZERO], survey.plays.get(RANDOM)
    if zero.observations is None or not len(zero.observations) or not zero.observations.shape[1]:
        return CannotTell(("zero",), "no observations of it were kept")
    numbers = _numbers(survey, zero)
    known = random is not None and random.observations is not None and len(random.observations) > 0
    other = random.observations if known and random is not None else None
    if other is not None and other.shape[1] != zero.observations.shape[1]:
        other = None
    found = _not_finite(survey, zero, other) or _run_away(survey, zero, other, numbers, runaway)
    if found is not None:
        return found
    if other is None or random is None:
        return CannotTell(("random",), "there is no random play to measure the motion by")
    return _drifting(survey, zero, other, numbers & ~clock_columns(random), steps, drift)


def _numbers(survey: Survey, play: Play) -> NDArray[np.bool_]:
    """Which columns are plain numbers, which alone can drift."""
    width = 0 if play.observations is None else play.observations.shape[1]
    kinds = survey.column_kinds
    return np.array([kind == "number" for kind in kinds]) if len(kinds) == width else np.ones(width, dtype=bool)


def _label(survey: Survey, column: int) -> str:
    return survey.labels[column] if column < len(survey.labels) else f"observation[{column}]"


def _path(play: Play, episode: int) -> Array | None:
    """The observations of one episode as far as they were kept, the one after the last step among them."""
    if play.observations is None:
        return None
    start = int(play.starts[episode])
    end = min(start + int(play.lengths[episode]), play.kept)
    if end <= start:
        return None
    rows = play.observations[start:end]
    return rows if play.successors is None else np.concatenate([rows, play.successors[end - 1 : end]])


def _not_finite(survey: Survey, zero: Play, other: Array | None) -> Finding | None:
    """The first number that stops being finite although it is always finite under random play."""
    ordinary = np.isfinite(other).all(axis=0) if other is not None else True
    for episode in range(len(zero.lengths)):
        path = _path(zero, episode)
        if path is None:
            break
        ill = ~np.isfinite(path) & ordinary & np.isfinite(path[0])
        if ill.any():
            step = int(np.flatnonzero(ill.any(axis=1))[0])
            column = int(np.flatnonzero(ill[step])[0])
            return Finding(
                message=f"Doing nothing turns `{_label(survey, column)}` into {path[step, column]} at step {step:,} of "
                "an episode, while it stays finite under random play.",
                level=Level.ERROR,
                confidence=HIGH,
                evidence=(Evidence(metric=_label(survey, column), value=float(path[step, column]), step=float(step)),),
            )
    return None


def _run_away(
    survey: Survey, zero: Play, other: Array | None, numbers: NDArray[np.bool_], runaway: float
) -> Finding | None:
    """A column that multiplies until the end of the longest episode, far beyond what is ordinary."""
    path = _path(zero, int(np.argmax(zero.lengths))) if len(zero.lengths) else None
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
            usual, most = _ordinary(other)
            ill = (ill & (reach[-1] > BEYOND_ORDINARY * usual)) | (numbers & still & (reach[-1] > runaway * most))
    if not ill.any():
        return None
    column = int(np.argmax(np.where(ill, reach[-1], 0.0)))
    name, length = _label(survey, column), len(path) - 1
    return Finding(
        message=f"Doing nothing makes `{name}` run away: it moves by {reach[0, column]:.3g} in the first eighth of an "
        f"episode of {length:,} steps and by {reach[-1, column]:.3g} in the last, and still multiplies.",
        level=Level.ERROR,
        confidence=HIGH,
        evidence=(Evidence(metric=name, value=float(reach[-1, column]), step=float(length)),),
    )


def _ordinary(rows: Array) -> tuple[Array, Array]:
    """How far columns usually and at most are from their middle under random play, never quite nothing."""
    finite = np.where(np.isfinite(rows), rows, 0.0)
    middle = np.array([level(column) for column in finite.T])
    away = np.abs(finite - middle)
    usual = np.array([level(column) for column in away.T])
    return np.maximum(usual, 1e-3), np.maximum(np.maximum(away.max(axis=0), np.abs(finite).max(axis=0)), 1e-3)


def _drifting(
    survey: Survey, zero: Play, other: Array, numbers: NDArray[np.bool_], steps: int, drift: float
) -> Finding | None:
    """A column that moves the same way in every episode, by at least its spread under random play."""
    paths = [path for path in (_path(zero, episode) for episode in range(len(zero.lengths))) if path is not None]
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
        message=f"Doing nothing moves the state: `{_label(survey, column)}` goes by {by:+.3g} within at most {steps:,} "
        f"steps, {told[column]:.1f} times its spread under random play, and {np.count_nonzero(told >= drift)} of "
        f"{len(told)} columns move so, in all of {len(whole)} episodes.",
        level=Level.INFO,
        confidence=HIGH if len(whole) >= FEW_EPISODES else MEDIUM,
        evidence=(Evidence(metric=_label(survey, column), value=float(told[column]), limit=drift, step=float(steps)),),
    )
