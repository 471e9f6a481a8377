"""Board games of two sides: does it make a difference which of them made the last move?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Flags, Play
from weaklink.judge.rules.reward._plays import mark_terminations

SIDES = (-1.0, 0.0, 1.0)  # what stands in a field: one side, nothing, the other
SMALLEST, WIDEST = 6, 1024  # fields
FEWEST = 20  # games that end with a move of one's own, and with a reply, while fields are left


class EqualSides(NamedTuple):
    """What decided games pay, and how many of them end with a move of one's own and with a reply."""

    paid: float
    own: int
    replied: int


def find_equal_sides(play: Play) -> EqualSides | None:
    """What is paid alike for the winning move of either side; None where it is not, or where there are no two sides.

    Each step puts one stone of one's own, as a rule one of the other side as well, and takes none away. A game that
    terminates while fields are left has been decided, by the side that moved last.
    """
    before, after = play.observations, play.successors
    if before is None or after is None or not SMALLEST <= after.shape[1] <= WIDEST or not len(after):
        return None
    if not np.isin(np.unique(after), SIDES).all() or not np.isin(np.unique(before), SIDES).all():
        return None
    rewards, ends = play.rewards[: len(after)], mark_terminations(play)[: len(after)]
    changed = after != before
    if np.any(changed & (before != 0.0)) or np.any(rewards[~ends] != 0.0):
        return None
    for own in (1.0, -1.0):
        mine, theirs = (changed & (after == own)).sum(axis=1), (changed & (after == -own)).sum(axis=1)
        if np.all(mine <= 1) and np.all(theirs <= mine) and np.all(mine[~ends] == 1) and np.any(theirs == 1):
            return _compare(rewards, ends & (mine == 1) & np.any(after == 0.0, axis=1), theirs == 1)
    return None


def _compare(rewards: Array, decided: Flags, replied: Flags) -> EqualSides | None:
    won, lost = rewards[decided & ~replied], rewards[decided & replied]
    if min(len(won), len(lost)) < FEWEST or won.min() <= 0.0 or np.ptp(np.append(won, lost)) > 0.0:
        return None
    return EqualSides(float(won[0]), len(won), len(lost))
