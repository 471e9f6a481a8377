"""A cost that the info tells of, and that the reward pays instead of charging it."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.survey import Play
from weaklink.judge.rules.reward._plays import is_sound, mark_last_steps

# what is called so is never wanted; a cost that was saved, or that of another step, is something else
COST = re.compile(
    r"(^|_)(fee|cost|penalty|fine|toll|violation|collision|crash|bump|accident)(s|es|ies)?$", re.IGNORECASE
)
OTHERWISE = re.compile(r"sav|avoid|prevent|without|old|previous|last|best|base|limit|budget|opponent", re.IGNORECASE)

FEWEST_STEPS, FEWEST = 500, 50  # steps, and steps at which the cost is not 0

# how well its weight in the reward must be known, and how near it must be to 1: what is only earned together with a
# cost has any weight
ERROR, NEAR_ONE = 0.1, 0.02

CLEAR = 8.0  # standard errors by which its weight must differ from 0


class PaidCost(NamedTuple):
    """A cost, its weight in the reward, and what it pays on average where it is not 0."""

    name: str
    weight: float
    paid: float


def find_paid_cost(play: Play) -> PaidCost | None:
    """The number of the info that is called a cost and enters the reward as an income of its own size."""
    told = {**play.metrics, **play.components}
    inside = ~mark_last_steps(play)
    for name, values in told.items():
        if not COST.search(name) or OTHERWISE.search(name) or len(values) != len(play.rewards):
            continue
        cost, rewards = np.asarray(values, dtype=float)[inside], play.rewards[inside]
        due = cost != 0.0
        if len(cost) < FEWEST_STEPS or not is_sound(cost) or min(int(due.sum()), int((~due).sum())) < FEWEST:
            continue
        if float(cost.min()) < 0.0 < float(cost.max()):
            continue
        away = cost - cost.mean()
        weight = float(away @ rewards) / float(away @ away)
        left = rewards - rewards.mean() - weight * away
        error = float(left.std()) / float(np.sqrt(away @ away))
        near = abs(abs(weight) - 1.0) <= max(3.0 * error, NEAR_ONE)
        if error <= ERROR and near and abs(weight) > CLEAR * error and weight * float(cost[due].mean()) > 0.0:
            return PaidCost(name, weight, weight * float(cost[due].mean()))
    return None
