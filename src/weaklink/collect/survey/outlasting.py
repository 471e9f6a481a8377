"""Where all episodes are truncated at steps of their own: how does one end that no failure ends before?"""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.protocols import Environment
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.spaces import sample_space, unflatten_rows
from weaklink.base.evidence.survey import BOTH, CUT, TERMINATED, TRUNCATED, Play
from weaklink.collect.survey.comparisons import play_trajectory
from weaklink.collect.survey.session import SurveySession

FEWEST, SEVERAL = 20, 2
"""Episodes of random play, and different steps at which they are truncated: a time limit comes at one."""

STARTS = 3
MOST_TRIES = 400
LONGEST = 1000
HELD = 12
"""Steps for which an action is held at the most: many small moves that cancel each other lead nowhere."""

STUCK = 8
"""Tries after which more of the course is drawn anew."""


def outlast_failures(session: SurveySession, environment: Environment, random: Play) -> dict[str, Any]:
    """The length and the end of courses of action that outlast failures, from several starts.

    Nothing where an episode of random play ever terminates, where a time limit alone ends episodes, or where a state
    cannot be reached twice.
    """
    ended = random.ends != CUT
    lengths = random.lengths[ended]
    if not session.deterministic or len(lengths) < FEWEST or np.any(random.ends[ended] != TRUNCATED):
        return {}
    if len(np.unique(lengths)) < SEVERAL:
        return {}
    rng = np.random.default_rng(session.plan.seed)
    found = (_extend(session, environment, 7000 + start, rng, int(lengths.max())) for start in range(STARTS))
    return {"outlasted": tuple(each for each in found if each is not None)}


def _extend(
    session: SurveySession, environment: Environment, seed: int, rng: np.random.Generator, usual: int
) -> tuple[int, int] | None:
    """How a course ends that is longer than all of random play: what led to each earlier end is drawn anew."""
    best = _draw_held(environment, rng, LONGEST)
    reached, failed = 0, 0
    for _ in range(MOST_TRIES):
        back = int(rng.integers(1, 2 ** min(3 + failed // STUCK, 9)))
        kept = max(reached - back, 0)
        rows = np.concatenate([best[:kept], _draw_held(environment, rng, LONGEST - kept)])
        path = play_trajectory(session, environment, seed, unflatten_rows(environment.action, rows))
        if path is None or session.over:
            return None
        failed = 0 if path.steps > reached else failed + 1
        if path.steps >= reached:
            best, reached = rows, path.steps
        if path.ended and path.terminated[-1] and path.steps > usual:
            return path.steps, BOTH if path.truncated[-1] else TERMINATED
        if not path.ended:
            return None
    return None


def _draw_held(environment: Environment, rng: np.random.Generator, steps: int) -> Array:
    """Random actions, each held for some steps."""
    rows = sample_space(environment.action, steps, rng)
    times = np.repeat(np.arange(steps), rng.integers(1, HELD + 1, steps))[:steps]
    return np.asarray(rows[times])
