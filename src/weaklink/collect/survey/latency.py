"""One action changed, all others the same: after how many steps does that show?"""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.acting import ActionLatency
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import Column, sample_space, unflatten_rows
from weaklink.base.evidence.survey import Play
from weaklink.base.stats import level
from weaklink.collect.survey.comparisons import TOLERANCE, Trajectory, play_trajectory
from weaklink.collect.survey.session import SurveySession

STATES = 10
"""States from which an action is changed: in some of them any action may do nothing, as at a wall."""

LONGEST_PREFIX = 40
HORIZON = 60
"""Steps that an effect is waited for; delays of half a second at 100 Hz are within."""

FIRST_SEED = 2000


def measure_latency(session: SurveySession, environment: Environment, random: Play) -> dict[str, Any]:
    """Changes a single action in several states; nothing where a state cannot be reached twice."""
    if not session.deterministic or not environment.action.size:
        return {}
    longest = int(min(LONGEST_PREFIX, max(level(random.lengths.astype(float)) // 2, 1)))
    seen, paid = [], []
    for seed in range(STATES):
        if session.over:
            break
        rng = np.random.default_rng([session.plan.seed, FIRST_SEED + seed])
        changed = int(rng.integers(0, longest))
        course = sample_space(environment.action, changed + 1 + HORIZON, rng)
        other = course.copy()
        course[changed], other[changed] = _pick_opposites(environment.action.columns, course[changed], rng)
        plays = [
            play_trajectory(session, environment, FIRST_SEED + seed, unflatten_rows(environment.action, rows))
            for rows in (course, other)
        ]
        if plays[0] is None or plays[1] is None:
            break
        if min(plays[0].steps, plays[1].steps) > changed:
            seen.append(_find_first_sight(plays[0], plays[1], changed))
            paid.append(_find_first_pay(plays[0], plays[1], changed))
    return {"latency": ActionLatency(seen=np.array(seen), paid=np.array(paid), horizon=HORIZON)} if seen else {}


def _pick_opposites(columns: tuple[Column, ...], drawn: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Two actions as far apart as can be: both ends of a range, and two different choices."""
    one, other = drawn.copy(), drawn.copy()
    for place, column in enumerate(columns):
        if column.kind == "number":
            low = column.low if np.isfinite(column.low) else -1.0
            high = column.high if np.isfinite(column.high) else 1.0
            one[place], other[place] = rng.permutation([low, high])
        elif column.high > column.low:
            one[place], other[place] = rng.choice(np.arange(column.low, column.high + 1), 2, replace=False)
    return one, other


@np.errstate(invalid="ignore", over="ignore")
def _find_first_sight(first: Trajectory, other: Trajectory, changed: int) -> float:
    """Steps from the changed action to the first observation, or the first end, that it changed; NaN where none did."""
    steps = min(first.steps, other.steps)
    before, after = first.rows[: steps + 1], other.rows[: steps + 1]
    parted = np.any(np.abs(before - after) > TOLERANCE * (1.0 + np.abs(before)), axis=1)
    places = np.flatnonzero(np.asarray(parted)[changed + 1 :])
    if len(places):
        return float(places[0] + 1)
    return float(steps - changed) if first.steps != other.steps else np.nan


@np.errstate(invalid="ignore", over="ignore")
def _find_first_pay(first: Trajectory, other: Trajectory, changed: int) -> float:
    """Steps from the changed action to the first reward that it changed; its own step, which it may cost, is left out.

    What an action costs by itself is paid at once, wherever its effect stays; only later rewards are of its effect.
    """
    steps = min(first.steps, other.steps)
    gaps = np.abs(first.rewards[:steps] - other.rewards[:steps])
    parted = gaps > TOLERANCE * (1.0 + np.abs(first.rewards[:steps]))
    places = np.flatnonzero(parted[changed + 1 :])
    return float(places[0] + 2) if len(places) else np.nan
