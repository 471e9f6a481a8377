"""Where episodes are over after a few steps: does any course of actions last longer from the same start?"""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import CUT, Play
from weaklink.base.stats import level
from weaklink.collect.survey.comparisons import play_trajectory
from weaklink.collect.survey.session import SurveySession

SHORT = 10.0
"""Median steps of random play below which the question arises: the limit of TSK105."""

LONG = 20
"""Steps after which a course has shown that it lasts: twice that limit."""

STARTS = 6
MOST_TRIES = 300
"""Courses from one start: fifteen for each step, of which half change the last action alone."""


def find_lasting_courses(session: SurveySession, environment: Environment, random: Play) -> dict[str, Any]:
    """How long the longest of many courses of action lasts from each of several starts.

    Nothing where random play lasts, or where a state cannot be reached twice.
    """
    ended = random.lengths[random.ends != CUT]
    if not session.deterministic or not len(ended) or level(ended.astype(float)) >= SHORT:
        return {}
    rng = np.random.default_rng(session.plan.seed)
    lasted: list[int] = []
    for start in range(STARTS):
        if session.over:
            break
        longest = _extend_course(session, environment, 2000 + start, rng)
        if longest is not None:
            lasted.append(longest)
    return {"lasting": tuple(lasted)}


def _extend_course(session: SurveySession, environment: Environment, seed: int, rng: np.random.Generator) -> int | None:
    """The steps of the longest course found: its last action, or a few more, are drawn anew again and again."""
    best: Array = sample_space(environment.action, LONG, rng)
    reached = 0
    for _ in range(MOST_TRIES):
        kept = max(reached - int(rng.geometric(0.5)), 0)
        rows = np.concatenate([best[:kept], sample_space(environment.action, LONG - kept, rng)])
        path = play_trajectory(session, environment, seed, unflatten_rows(environment.action, rows))
        if path is None:
            return None
        if path.steps > reached:
            best, reached = rows, path.steps
        if (path.steps >= LONG and not path.ended) or session.over:
            return reached
    return reached
