"""What comes after the end of an episode, and whether the last observation is the last."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from weaklink.base.evidence.endings import EpisodeEnding
from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import BOTH, CUT, LIMITED, TERMINATED, TRUNCATED, Play
from weaklink.collect.survey.session import SurveySession

TOO_MANY = 5
LONGEST = 2000
FEWEST_ENDS = 5
LONGEST_ROUND = 64
BY_CHANCE = 1e-3
"""How likely it may be at most that all ends look like a beginning, if they do no oftener than steps before them."""


def examine_endings(session: SurveySession, environment: Environment, random: Play) -> dict[str, Any]:
    """Steps on after the end of a random episode, and looks at the last observations of those already played."""
    restarted = _last_is_first(session, random)
    actions = iter(
        unflatten_rows(environment.action, sample_space(environment.action, LONGEST + TOO_MANY, session.rng))
    )
    end, call = CUT, "reset"
    try:
        environment.reset(session.plan.seed + 3)
        call = "step"
        for _ in range(LONGEST):
            _, _, terminated, truncated, _ = environment.step(next(actions))
            session.steps += 1
            session.tick()
            if terminated or truncated:
                end = BOTH if terminated and truncated else TERMINATED if terminated else TRUNCATED
                break
            if session.over:
                break
    except Exception as error:
        session.blame(error, call)
        return {}
    if end == CUT:
        return {}
    raised, warned, continued = _step_on(environment, actions)
    return {
        "endings": (EpisodeEnding(end=end, raised=raised, warned=warned, continued=continued, restarted=restarted),)
    }


def _step_on(environment: Environment, actions: Any) -> tuple[bool, bool, int]:
    continued = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            for _ in range(TOO_MANY):
                _, _, terminated, truncated, _ = environment.step(next(actions))
                continued += not (terminated or truncated)
        except Exception:
            return True, False, continued
    return False, bool(caught), continued


def _last_is_first(session: SurveySession, random: Play) -> bool:
    """Whether the observations that end episodes look like those that begin them, and those just before do not."""
    firsts, rows, lasts = session.first_rows, random.observations, random.successors
    if firsts is None or rows is None or lasts is None or len(firsts) < FEWEST_ENDS:
        return False
    ends = (random.starts + random.lengths - 1)[(random.ends != CUT) & (random.ends != LIMITED)]
    ends = ends[(ends < len(rows))]
    if len(ends) < FEWEST_ENDS:
        return False
    with np.errstate(invalid="ignore", over="ignore"):
        spread = rows.std(axis=0)
    live = np.isfinite(spread) & (spread > 1e-9)
    if not live.any():
        return False
    scale = spread[live]
    firsts, last = firsts[:, live] / scale, lasts[ends][:, live] / scale
    usual = max(float(np.sort(_measure_nearest(firsts, firsts, apart=True))[-1]), 1e-6)
    if (_measure_nearest(last, firsts) <= 2 * usual).mean() <= 0.95:
        return False
    lengths = random.time[ends] + 1
    if (_measure_nearest(rows[ends][:, live] / scale, firsts) <= 2 * usual).mean() >= 0.5:
        return False
    for back in range(1, LONGEST_ROUND):  # what comes back every few steps, such as the hour, does so before ends, too
        earlier = ends[lengths >= 2 * (back + 1)] - back
        if len(earlier) < FEWEST_ENDS:
            break
        near, gone = (_measure_nearest(rows[at][:, live] / scale, firsts) <= 2 * usual for at in (earlier, earlier - 1))
        came_back = int((near & ~gone).sum())
        usually = (came_back + 1) / (len(earlier) + 1)
        if came_back >= 0.5 * len(earlier) or usually ** len(ends) > BY_CHANCE:
            return False
    return True


def _measure_nearest(rows: Array, others: Array, *, apart: bool = False) -> Array:
    """The distance of each row to the nearest of the others; `apart` leaves out the row itself."""
    gaps = np.abs(rows[:, None, :] - others[None, :, :]).max(axis=2)
    if apart:
        np.fill_diagonal(gaps, np.inf)
    return np.asarray(gaps.min(axis=1))
