"""Whether the step before tells more about what comes next than the present observation and action do.

In a task whose observation says everything, it never does, random or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Ints, Play, Survey
from weaklink.judge.rules.observation._prediction import beyond_fit, costs_of, encoded, halves, scaled, unexplained

DECIMALS = 6
VISITS = 5
"""Times that an observation and an action have to meet again for what follows to be compared."""

REPEATED = 0.5
"""The share of steps that has to lie in such groups."""

SHUFFLES = 20
WIDEST = 12
"""Columns above which a fit of this size cannot follow the motion of a healthy task either."""

FEWEST_STEPS = 500
MOST_STEPS = 4000
SETTINGS = 40
"""Episodes for each column that holds still within one: so many settings a fit needs to have seen."""

LEAST = 0.1
"""The share of the spread of the reward that has to be left when the cost of the action is taken out."""


@dataclass(frozen=True)
class Memory:
    """How much the present leaves open, and how much of that is still open when the step before is known too.

    Both are shares, of the variance of `what` or, where observations repeat exactly, of the uncertainty of what comes.
    """

    open: float
    still_open: float
    steps: int
    what: str = ""


def exact(play: Play) -> Memory | None:
    """Compares what follows from exactly the same observation and action; None where too few of them repeat."""
    if play.kept < FEWEST_STEPS or play.observations is None or play.successors is None or play.actions is None:
        return None
    now = np.flatnonzero(play.time[: play.kept] >= 1)
    if len(now) < FEWEST_STEPS:
        return None
    seen, done, after = _codes(play.observations), _codes(play.actions), _codes(play.successors)
    paid = _codes(play.rewards[: play.kept, None])
    place = _together(seen, done)
    repeated = np.bincount(place[now], minlength=int(place.max()) + 1)[place[now]] >= VISITS
    if float(np.mean(repeated)) < REPEATED:
        return None
    now = now[repeated]
    outcome, before = _together(after, paid)[now], _together(place, paid)[now - 1]
    there = place[now]
    left = _uncertainty(there, outcome)
    if left / len(now) < 0.01:
        return Memory(0.0, 0.0, len(now))
    told = left - _uncertainty(_together(there, before), outcome)
    rng = np.random.default_rng(0)
    chance = [left - _uncertainty(_together(there, _shuffled(there, before, rng)), outcome) for _ in range(SHUFFLES)]
    gain = (told - float(np.mean(chance))) / left if told > max(chance) else 0.0
    return Memory(1.0, 1.0 - gain, len(now))


def fitted(survey: Survey, play: Play, closed: float) -> Memory | None:
    """Fits what follows from the present alone and from the step before as well; None where no fit can be trusted.

    Of all that follows, the one is told of that the present leaves open most and the step before closes to this share.
    """
    kept = min(play.kept, MOST_STEPS)
    if play.observations is None or play.successors is None or play.actions is None or survey.action is None:
        return None
    if kept < FEWEST_STEPS:
        return None
    rows, after, actions = play.observations[:kept], play.successors[:kept], play.actions[:kept]
    if rows.shape[1] > WIDEST or any(column.kind not in ("number", "binary") for column in survey.columns):
        return None
    outcomes = np.concatenate([after - rows, play.rewards[:kept, None]], axis=1)
    now = np.flatnonzero(play.time[:kept] >= 1)
    now = now[np.isfinite(rows[now]).all(axis=1) & np.isfinite(outcomes[now]).all(axis=1)]
    now = now[np.isfinite(outcomes[now - 1]).all(axis=1)]
    half = halves(play.episode_of[:kept][now]) if len(now) >= FEWEST_STEPS else None
    if half is None:
        return None
    acted = encoded(survey.action.columns, actions)
    present = scaled(np.concatenate([acted, rows], axis=1)[now])
    past = scaled(np.concatenate([acted, outcomes], axis=1)[now - 1])
    following = outcomes[now]
    spread = following.std(axis=0)
    # what the action costs says nothing of the state, and often hides the rest of the reward
    following[:, -1] = beyond_fit(costs_of(survey.action, actions[now]), following[:, -1])
    moving = np.flatnonzero((spread > 1e-9) & (following.std(axis=0) > LEAST * spread))
    if _too_few_settings(rows[now], play.episode_of[:kept][now]):
        moving = moving[moving < rows.shape[1]]
    if not len(moving) or not present.shape[1]:
        return None
    following = following[:, moving] / following[:, moving].std(axis=0)
    alone = np.minimum(unexplained(present, following, half), 1.0)
    both = np.minimum(unexplained(np.concatenate([present, past], axis=1), following, half), 1.0)
    worst = int(np.argmax(np.where(both < closed * alone, 1.0 + alone, alone - both)))
    column = int(moving[worst])
    what = f"the change of {survey.labels[column]}" if column < len(survey.labels) else "the reward"
    return Memory(float(alone[worst]), float(both[worst]), len(now), what)


def _too_few_settings(rows: Array, episodes: Ints) -> bool:
    """Whether columns that are set anew with each episode, such as a goal, were seen in too few settings to be fitted.

    The reward then follows from what is seen, but no fit knows how, and the reward before would always tell more.
    """
    starts = np.flatnonzero(np.concatenate([[True], np.diff(episodes) != 0]))
    within = np.repeat(rows[starts], np.diff(np.append(starts, len(rows))), axis=0)
    held = np.all(np.abs(rows - within) < 1e-9, axis=0) & (rows.std(axis=0) > 1e-9)
    return len(starts) < SETTINGS * int(held.sum())


def _codes(rows: Array) -> Ints:
    """Equal rows as equal numbers."""
    known: dict[bytes, int] = {}
    exact_rows = np.ascontiguousarray(np.round(rows, DECIMALS) + 0.0)
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in exact_rows], dtype=np.int64)


def _together(first: Ints, second: Ints) -> Ints:
    """Pairs as numbers."""
    paired = first * (int(second.max(initial=0)) + 1) + second
    ordered = np.sort(paired)
    distinct = ordered[np.concatenate([[True], np.diff(ordered) > 0])] if len(ordered) else ordered
    return np.asarray(np.searchsorted(distinct, paired), dtype=np.int64)


def _uncertainty(group: Ints, outcome: Ints) -> float:
    """The entropy of the outcome within the groups, summed over all steps."""
    sizes = np.bincount(group)[group]
    both = _together(group, outcome)
    times = np.bincount(both)[both]
    return float(-np.log(times / sizes).sum())


def _shuffled(group: Ints, values: Ints, rng: np.random.Generator) -> Ints:
    """The values in another order within each group."""
    shuffled = np.empty_like(values)
    shuffled[np.argsort(group, kind="stable")] = values[np.lexsort((rng.random(len(group)), group))]
    return shuffled
