"""What is told at the ends of episodes, and how they ended."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import BOTH, CUT, TERMINATED, Flags, Play
from weaklink.judge.rules.reward._plays import mark_last_steps


def read_ends(key: str, play: Play) -> Array:
    """What is told at the end of each whole episode, NaN where nothing is."""
    told = play.metrics.get(key, np.empty(0))
    if len(told) == len(play.rewards):
        return np.asarray(told[mark_last_steps(play)], dtype=float)
    return np.full(int((play.ends != CUT).sum()), np.nan)


def read_terminated(play: Play) -> Flags:
    """Whether each whole episode terminated."""
    ends = play.ends[play.ends != CUT]
    return np.asarray((ends == TERMINATED) | (ends == BOTH))
