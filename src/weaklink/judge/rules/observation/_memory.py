"""Whether the previous step improves the prediction of the next one beyond the present observation and action.

In a Markov task it never does, deterministic or stochastic.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Ints, Play, Survey
from weaklink.judge.rules.observation._prediction import (
    encode,
    make_cost_features,
    measure_unexplained,
    split_episodes,
    standardise_columns,
    subtract_fit,
)

DECIMALS = 6  # digits to which observations must agree to be the same: float32 holds no more

VISITS = 5  # times that an observation and action must occur for their outcomes to be compared

REPEATED = 0.5  # the share of steps whose observation and action must occur so often

SHUFFLES = 20  # shuffled pasts; the largest gain among them is exceeded by chance about once in twenty

WIDEST = 12  # columns above which a fit of this size cannot follow the dynamics of a healthy task either

# steps of a fit: fewer than 500 overfit its up to 360 features, more than 4,000 change nothing and cost time
FEWEST_STEPS = 500
MOST_STEPS = 4000

SETTINGS = 40  # episodes for each column that is constant within an episode: so many settings a fit must have seen

LEAST = 0.1  # the share of the standard deviation of the reward that must remain without the cost of the action

UNCERTAIN = 0.01  # Nats per step below which outcomes are deterministic but for rare rows


@dataclass(frozen=True)
class MemoryFit:
    """How much the present leaves unexplained, and how much of that remains once the previous step is known.

    Both are shares: of the variance of `what` or, where observations repeat exactly, of the entropy of the outcome.
    """

    open: float
    still_open: float
    steps: int
    what: str = ""


def compare_outcomes(play: Play) -> MemoryFit | None:
    """Compares the outcomes of exactly the same observation and action; None where too few of them repeat."""
    if play.kept < FEWEST_STEPS or play.observations is None or play.successors is None or play.actions is None:
        return None
    now = np.flatnonzero(play.time[: play.kept] >= 1)
    if len(now) < FEWEST_STEPS:
        return None
    seen, done, after = _number_rows(play.observations), _number_rows(play.actions), _number_rows(play.successors)
    paid = _number_rows(play.rewards[: play.kept, None])
    place = _number_pairs(seen, done)
    repeated = np.bincount(place[now], minlength=int(place.max()) + 1)[place[now]] >= VISITS
    if float(np.mean(repeated)) < REPEATED:
        return None
    now = now[repeated]
    outcome, before = _number_pairs(after, paid)[now], _number_pairs(place, paid)[now - 1]
    there = place[now]
    left = _measure_entropy(there, outcome)
    if left / len(now) < UNCERTAIN:
        return MemoryFit(0.0, 0.0, len(now))
    told = left - _measure_entropy(_number_pairs(there, before), outcome)
    rng = np.random.default_rng(0)
    chance = [
        left - _measure_entropy(_number_pairs(there, _shuffle_within(there, before, rng)), outcome)
        for _ in range(SHUFFLES)
    ]
    gain = (told - float(np.mean(chance))) / left if told > max(chance) else 0.0
    return MemoryFit(1.0, 1.0 - gain, len(now))


def fit_memory(survey: Survey, play: Play, closed: float) -> MemoryFit | None:
    """Fits what comes next to the present alone and to the previous step as well; None where no fit can be trusted.

    Reports the outcome that the present leaves open most among those of which the previous step leaves only the share
    `closed`.
    """
    steps = _collect_steps(survey, play)
    half = split_episodes(steps.episodes) if steps is not None else None
    if steps is None or half is None:
        return None
    moving = _find_predictable(steps)
    if not len(moving) or not steps.present.shape[1]:
        return None
    following = steps.following[:, moving] / steps.following[:, moving].std(axis=0)
    alone = np.minimum(measure_unexplained(steps.present, following, half), 1.0)
    both = np.minimum(measure_unexplained(np.concatenate([steps.present, steps.past], axis=1), following, half), 1.0)
    worst = int(np.argmax(np.where(both < closed * alone, 1.0 + alone, alone - both)))
    column = int(moving[worst])
    what = f"the change of {survey.labels[column]}" if column < len(survey.labels) else "the reward"
    return MemoryFit(float(alone[worst]), float(both[worst]), len(steps.episodes), what)


@dataclass(frozen=True)
class _Steps:
    """Steps with their inputs and outcomes: the changes of all columns, and the reward as the last one."""

    rows: Array
    episodes: Ints
    present: Array
    past: Array
    following: Array
    spread: Array


def _collect_steps(survey: Survey, play: Play) -> _Steps | None:
    """The steps with a previous one and finite numbers; None where they are too few or too wide for a fit."""
    kept = min(play.kept, MOST_STEPS)
    if play.observations is None or play.successors is None or play.actions is None or survey.action is None:
        return None
    rows, after, actions = play.observations[:kept], play.successors[:kept], play.actions[:kept]
    if rows.shape[1] > WIDEST or any(column.kind not in ("number", "binary") for column in survey.columns):
        return None
    outcomes = np.concatenate([after - rows, play.rewards[:kept, None]], axis=1)
    now = np.flatnonzero(play.time[:kept] >= 1)
    now = now[np.isfinite(rows[now]).all(axis=1) & np.isfinite(outcomes[now]).all(axis=1)]
    now = now[np.isfinite(outcomes[now - 1]).all(axis=1)]
    if len(now) < FEWEST_STEPS:
        return None
    acted, following = encode(survey.action.columns, actions), outcomes[now]
    spread = following.std(axis=0)
    # the cost of the action carries no information about the state, and it often hides the rest of the reward
    following[:, -1] = subtract_fit(make_cost_features(survey.action, actions[now]), following[:, -1])
    return _Steps(
        rows=rows[now],
        episodes=play.episode_of[:kept][now],
        present=standardise_columns(np.concatenate([acted, rows], axis=1)[now]),
        past=standardise_columns(np.concatenate([acted, outcomes], axis=1)[now - 1]),
        following=following,
        spread=spread,
    )


def _find_predictable(steps: _Steps) -> Ints:
    """The outcomes that vary and can be fitted."""
    moving = np.flatnonzero((steps.spread > 1e-9) & (steps.following.std(axis=0) > LEAST * steps.spread))
    if _has_too_few_settings(steps.rows, steps.episodes):
        moving = moving[moving < steps.rows.shape[1]]
    return moving


def _has_too_few_settings(rows: Array, episodes: Ints) -> bool:
    """Whether columns that are fixed within an episode, such as a goal, had too few values for a fit.

    The reward then depends on them in a way that no fit can learn, and the previous reward would always help.
    """
    starts = np.flatnonzero(np.concatenate([[True], np.diff(episodes) != 0]))
    within = np.repeat(rows[starts], np.diff(np.append(starts, len(rows))), axis=0)
    held = np.all(np.abs(rows - within) < 1e-9, axis=0) & (rows.std(axis=0) > 1e-9)
    return len(starts) < SETTINGS * int(held.sum())


def _number_rows(rows: Array) -> Ints:
    """Numbers rows so that equal rows get equal numbers."""
    known: dict[bytes, int] = {}
    exact_rows = np.ascontiguousarray(np.round(rows, DECIMALS) + 0.0)
    return np.array([known.setdefault(row.tobytes(), len(known)) for row in exact_rows], dtype=np.int64)


def _number_pairs(first: Ints, second: Ints) -> Ints:
    """Numbers pairs so that equal pairs get equal numbers."""
    paired = first * (int(second.max(initial=0)) + 1) + second
    ordered = np.sort(paired)
    distinct = ordered[np.concatenate([[True], np.diff(ordered) > 0])] if len(ordered) else ordered
    return np.asarray(np.searchsorted(distinct, paired), dtype=np.int64)


def _measure_entropy(group: Ints, outcome: Ints) -> float:
    """The entropy of the outcome within the groups, summed over all steps."""
    sizes = np.bincount(group)[group]
    both = _number_pairs(group, outcome)
    times = np.bincount(both)[both]
    return float(-np.log(times / sizes).sum())


def _shuffle_within(group: Ints, values: Ints, rng: np.random.Generator) -> Ints:
    """Shuffles the values within each group."""
    shuffled = np.empty_like(values)
    shuffled[np.argsort(group, kind="stable")] = values[np.lexsort((rng.random(len(group)), group))]
    return shuffled
