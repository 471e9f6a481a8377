"""What observations tell of the reward where neither they nor the action tell it alone: by their pattern, by the place
that the action names in them, or by what was seen at the beginning of the episode."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Flags, Ints, Survey
from weaklink.judge.rules.observation._information import (
    MOST_FITTED,
    MOST_STEPS,
    REWARD,
    RewardPairs,
    shift_target,
    standardise,
)
from weaklink.judge.rules.observation._prediction import (
    encode,
    measure_unexplained,
    split_episodes,
    standardise_columns,
)

FEWEST_EPISODES = 20  # of fewer beginnings one may go with the rewards of its episode by chance

REACH = 1  # places on each side of the one that the action names: those that touch it


def explains_reward(survey: Survey, given: RewardPairs, together: float) -> bool:
    """Whether a pattern explains more than this share of the reward on held-out episodes, and more than by chance."""
    half = split_episodes(given.episodes[:MOST_STEPS])
    if half is None or survey.action is None or given.count < FEWEST_EPISODES:
        return False
    aim = standardise(given.targets[REWARD][:MOST_STEPS])
    targets = np.stack([aim, *shift_target(aim, int(np.bincount(given.episodes).max()) + 1)], axis=1)
    return any(_explains(inputs, targets, half, together) for inputs in _list_patterns(survey, given))


def _explains(inputs: Array, targets: Array, half: Flags, together: float) -> bool:
    """Whether inputs explain the first target, and better than any of the others, which are shifted copies of it."""
    told = 1.0 - measure_unexplained(inputs, targets, half)
    return bool(told[0] > max(together, float(told[1:].max())))


def _list_patterns(survey: Survey, given: RewardPairs) -> Iterator[Array]:
    """What may tell: the columns without the action, with the first ones of the episode, and around a named place.

    Beside an action of many choices, a fit has no room for the products of columns with each other.
    """
    rows = given.columns[:MOST_STEPS]
    seen = standardise_columns(encode(survey.columns, rows))[:, :MOST_FITTED]
    acted = standardise_columns(encode(survey.action.columns if survey.action else (), given.actions[:MOST_STEPS]))
    yield seen
    episodes = given.episodes[:MOST_STEPS]
    yield np.concatenate([acted, seen[np.searchsorted(episodes, episodes)], seen], axis=1)
    named = _find_named_places(survey, given.actions[:MOST_STEPS])
    if named is not None and survey.observation is not None:
        yield standardise_columns(_look_around(rows, named, survey.observation.shape))


def _find_named_places(survey: Survey, actions: Array) -> Ints | None:
    """The place in the observation that each action names; None where there are not as many choices as places."""
    action, seen = survey.action, survey.observation
    if action is None or action.kind != "discrete" or seen is None or len(seen.shape) not in (1, 2):
        return None
    if action.choices[0] != int(np.prod(seen.shape)) or action.choices[0] != len(survey.columns):
        return None
    return np.asarray(actions[:, 0] - action.first[0], dtype=np.int64)


def _look_around(rows: Array, named: Ints, shape: tuple[int, ...]) -> Array:
    """What is seen at the named place and at those that touch it, and which of these lie outside."""
    high, wide = (1, *shape)[-2:]
    board = np.pad(rows.reshape(-1, high, wide), ((0, 0), (REACH, REACH), (REACH, REACH)), constant_values=np.nan)
    down, across = np.divmod(named, wide)
    moves = range(2 * REACH + 1)
    near = np.stack([board[np.arange(len(rows)), down + one, across + other] for one in moves for other in moves], 1)
    return np.concatenate([np.nan_to_num(near), np.isnan(near).astype(float)], axis=1)
