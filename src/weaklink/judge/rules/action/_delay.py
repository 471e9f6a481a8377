"""Whether what changes in a step is the work of the action before, and not of the present one."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.survey import RANDOM, Survey
from weaklink.judge.rules.observation._prediction import (
    encode,
    measure_unexplained,
    split_episodes,
    standardise_columns,
)

FEWEST_STEPS, MOST_STEPS = 500, 4000  # of a fit: fewer overfit its products, more change nothing

WIDEST = 24  # columns of observation and action together, whose products a fit of this size can follow

# shares of what the observation leaves open: nearly all of it stays so with the present action, hardly any with the one
# before; and the share of the change that the observation must leave open: where positions of several steps are seen,
# they leave little open, and a force shows in them one step late as well
OPEN, CLOSED, LEAST = 0.9, 0.1, 0.5


def find_late_column(survey: Survey) -> tuple[str, float, float] | None:
    """The column whose change the previous action explains and the present one does not, and what each leaves open."""
    play = survey.plays.get(RANDOM)
    if play is None or play.observations is None or play.successors is None or play.actions is None:
        return None
    kept, width = min(play.kept, MOST_STEPS), play.observations.shape[1]
    if survey.action is None or set(survey.column_kinds) != {"number"} or len(survey.labels) != width:
        return None
    acted = encode(survey.action.columns, play.actions[:kept])
    now = np.flatnonzero(play.time[:kept] >= 1)
    rows, changes = play.observations[now], (play.successors[:kept] - play.observations[:kept])[now]
    half = split_episodes(play.episode_of[now])
    if len(now) < FEWEST_STEPS or width + acted.shape[1] > WIDEST or half is None:
        return None
    moving = np.flatnonzero(np.isfinite(changes).all(axis=0) & (changes.std(axis=0) > 1e-9))
    if not len(moving) or not np.isfinite(rows).all():
        return None
    targets = changes[:, moving] / changes[:, moving].std(axis=0)
    seen, present, past = (
        np.minimum(measure_unexplained(standardise_columns(np.column_stack([*did, rows])), targets, half), 1.0)
        for did in ((), (acted[now],), (acted[now - 1],))
    )
    late = np.flatnonzero((seen > LEAST) & (present > OPEN * seen) & (past < CLOSED * seen))
    if not len(late):
        return None
    place = int(late[np.argmin(past[late] / seen[late])])
    return survey.labels[int(moving[place])], float(present[place]), float(past[place])
