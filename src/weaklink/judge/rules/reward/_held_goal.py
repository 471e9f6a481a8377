"""Rewards against the distance from an attribute that moves to one that is called a goal."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import HeldState
from weaklink.judge.rules._goals import list_goal_pairs, mark_plain_steps, measure_distances

# what an attribute is called that something should come to
CALLED = re.compile(
    r"(^|[._])(goal|target|set_?point|destination|desired|waypoint)s?(_?(pos(ition)?|state|xy|xyz|angle|level))?$",
    re.IGNORECASE,
)

FEWEST = 100  # steps with rewards of at least ten values

SURE = 0.999  # how exactly the reward must follow the distance: nothing else may be in it


class PaidDistance(NamedTuple):
    """What moves, what it should come to, and what the nearest and the furthest step pay."""

    mover: str
    goal: str
    near: float
    far: float

    @property
    def words(self) -> str:
        """What is to be said of it."""
        return (
            f"a step pays {self.near:.4g} where `{self.mover}` is nearest to `{self.goal}` and ever more up to "
            f"{self.far:.4g} where it is furthest away"
        )


def find_paid_distance(held: HeldState) -> PaidDistance | None:
    """The mover and the goal whose distance the reward rises with, and what the nearest and furthest steps pay."""
    if not np.isfinite(held.rewards).all():
        return None
    for pair in list_goal_pairs(held):
        if not CALLED.search(pair.goal):
            continue
        plain = mark_plain_steps(held, pair)
        rewards = held.rewards[plain]
        if len(rewards) < FEWEST or len(np.unique(rewards)) < 10:
            continue
        for order in (1, 2):
            away = measure_distances(held, pair, order)[1][plain]
            if _rises_together(away, rewards):
                near, far = (float(rewards[place]) for place in (int(np.argmin(away)), int(np.argmax(away))))
                return PaidDistance(pair.mover, pair.goal, near, far)
    return None


def _rises_together(away: np.ndarray[tuple[int, ...], np.dtype[np.float64]], rewards: object) -> bool:
    ranks = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (away, np.asarray(rewards))]
    return bool(np.ptp(away) > 0) and float(np.corrcoef(ranks[0], ranks[1])[0, 1]) >= SURE
