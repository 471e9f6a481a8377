"""A reward that goes on rising, or falling, through the value that something is meant to have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.base.evidence.series import Array
from weaklink.judge.rules._goals import list_goal_pairs
from weaklink.judge.rules.reward._held_goal import CALLED

# what a number is called that is 0 at the goal, or that has nothing to do with it
OTHERWISE = re.compile(
    r"err|dist|diff|dev|gap|delta|rate|vel|speed|time|step|count|reward|score|integral", re.IGNORECASE
)

FEWEST = 60  # steps on either side
WITHIN = 0.98  # of all distances: beyond may lie a bound
STRAIGHT = 0.98  # the share of the reward that the distance explains on either side, together with the action
ALIKE = 0.1  # by which the slopes on the two sides may differ
MOST_CHOICES = 16


class PassedGoal(NamedTuple):
    """What moves, what it should come to, and by how much the reward changes for each unit below and above that."""

    mover: str
    goal: str
    below: float
    above: float

    @property
    def words(self) -> str:
        """What is to be said of it."""
        way = "rises" if self.above > 0.0 else "falls"
        return (
            f"the reward {way} with `{self.mover}` by {abs(self.below):.3g} for each 1 below `{self.goal}` and by "
            f"{abs(self.above):.3g} above it, as if nothing were best there"
        )


def find_passed_goal(held: HeldState) -> PassedGoal | None:
    """A number and what it should be by its name, between which the reward knows no best place."""
    if not np.isfinite(held.rewards).all() or not np.isfinite(held.actions).all():
        return None
    inside = np.ones(len(held.rewards), dtype=bool)
    inside[held.lasts] = False
    taken = _describe_actions(held.actions[inside])
    found: dict[str, PassedGoal | None] = {}
    for mover, goal, away in _list_distances(held):
        slopes = None if OTHERWISE.search(mover) else _fit_sides(away[inside], taken, held.rewards[inside])
        if slopes is None:
            continue
        if slopes[0] * slopes[1] < 0.0:
            found[goal] = None  # something is best there, and other numbers go along with it
        elif abs(slopes[0] - slopes[1]) <= ALIKE * max(map(abs, slopes)):
            found.setdefault(goal, PassedGoal(mover, goal, *slopes))
    return next((one for one in found.values() if one is not None), None)


def _list_distances(held: HeldState) -> Iterator[tuple[str, str, Array]]:
    """How far each number is above each goal after a step: goals that a reset draws, and those that are settings."""
    for pair in list_goal_pairs(held):
        if CALLED.search(pair.goal) and len(pair.moving) == 1:
            labels = held.labels[int(pair.moving[0])], pair.goal
            yield *labels, held.after[:, pair.moving[0]] - held.before[:, pair.held_still[0]]
    for goal, value in held.settings.items():
        for place in np.flatnonzero(held.finite).tolist() if CALLED.search(goal) else ():
            if np.ptp(held.after[:, place]) > 0.0:
                yield held.labels[place], goal, held.after[:, place] - value


def _describe_actions(actions: Array) -> Array:
    """The actions as they may enter a sum: by choice where they are few, else as they are and squared."""
    kinds = np.unique(actions[:, 0])
    if actions.shape[1] == 1 and len(kinds) <= MOST_CHOICES:
        return np.asarray(actions[:, :1] == kinds, dtype=float)
    return np.column_stack([np.ones(len(actions)), actions, np.square(actions)])


def _fit_sides(away: Array, taken: Array, rewards: Array) -> tuple[float, float] | None:
    """The slopes below and above a goal, over as far as it goes on both sides."""
    reach = min(float(np.quantile(away, WITHIN)), -float(np.quantile(away, 1.0 - WITHIN)))
    sides = [(away < 0.0) & (away > -reach), (away > 0.0) & (away < reach)]
    if reach <= 0.0 or min(int(side.sum()) for side in sides) < FEWEST:
        return None
    below, above = (_fit(away[side], taken[side], rewards[side]) for side in sides)
    return None if below is None or above is None else (below, above)


def _fit(away: Array, taken: Array, rewards: Array) -> float | None:
    """The slope with which the reward follows a distance in a straight line; None where it does not."""
    alone = rewards - taken @ np.linalg.lstsq(taken, rewards, rcond=None)[0]
    features = np.column_stack([away, taken])
    weights = np.linalg.lstsq(features, rewards, rcond=None)[0]
    left, whole = float((rewards - features @ weights).var()), float(alone.var())
    return float(weights[0]) if whole > 0.0 and left <= (1.0 - STRAIGHT) * whole else None
