"""A cost that the info tells of, and that the reward pays instead of charging it."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.cost_words import COST, OTHERWISE
from weaklink.base.evidence.series import Array
from weaklink.base.evidence.survey import Play
from weaklink.judge.rules.reward._components import fit_weights, is_whole_reward
from weaklink.judge.rules.reward._plays import is_sound, mark_last_steps

# what is only ever to be made small, however a step may change it
MINIMISED = re.compile(
    r"(^|_)(makespan|tardiness|lateness|(waiting|wait|delay|queueing)_?(time|s)?|delay|error|deviation|overshoot"
    r"|backlog|distance_to_\w+|regret)$",
    re.IGNORECASE,
)
FEWEST_STEPS, FEWEST = 500, 50  # steps, and steps at which the cost is not 0

# how well its weight in the reward must be known, and how near it must be to 1: what is only earned together with a
# cost has any weight
ERROR, NEAR_ONE = 0.1, 0.02

EXACT, KINDS = 1e-5, 5  # of the scatter of the reward, where it is nothing but this number; different rewards

MOST_NUMBERS = 12  # of the info of which the reward may be the sum
WEIGHTY = 1e-2  # of the scatter of the reward, by which a cost must move it to be a part of it

CLEAR = 8.0  # standard errors by which its weight must differ from 0


class PaidCost(NamedTuple):
    """A cost, its weight in the reward, and what is to be said of it."""

    name: str
    weight: float
    words: str


def find_paid_growth(play: Play) -> PaidCost | None:
    """The number of the info that is only ever to be made small, and of which the reward is the size or the growth."""
    told = {**play.metrics, **play.components}
    inside = ~mark_last_steps(play)
    inner = inside & (play.time > 0)
    for name, values in told.items():
        called = (MINIMISED.search(name) or COST.search(name)) and not OTHERWISE.search(name)
        if not called or len(values) != len(play.rewards):
            continue
        size = np.asarray(values, dtype=float)
        growth = np.diff(size, prepend=np.nan)
        for numbers, steps in ((size, inside), (growth, inner)):
            known = steps & np.isfinite(numbers)
            slope = _fit_exactly(numbers[known], play.rewards[known])
            if slope is not None and slope > 0.0 and bool(np.all(size[np.isfinite(size)] >= 0.0)):
                words = f"a step pays exactly more the more info['{name}'] is or grows, which is to be made small"
                return PaidCost(name, slope, words)
    return None


def _fit_exactly(numbers: Array, rewards: Array) -> float | None:
    """The slope with which the reward rises with a number and with nothing else; None where it does not."""
    if len(rewards) < FEWEST_STEPS or not is_sound(numbers) or len(np.unique(rewards)) < KINDS:
        return None
    away, paid = numbers - numbers.mean(), rewards - rewards.mean()
    power = float(away @ away)
    if power == 0.0:
        return None
    slope = float(away @ paid) / power
    return slope if float(np.abs(paid - slope * away).max()) <= EXACT * float(np.ptp(rewards)) else None


def find_added_cost(play: Play) -> PaidCost | None:
    """The number of the info that is called a cost and that the reward adds, where it is nothing but a sum of numbers.

    Where the whole reward is known, each weight is too, however seldom a cost comes alone.
    """
    told = {**play.metrics, **play.components}
    inside = ~mark_last_steps(play)
    rewards = play.rewards[inside]
    told = {name: np.asarray(values, dtype=float) for name, values in told.items() if len(values) == len(inside)}
    numbers = {name: values[inside] for name, values in told.items() if is_sound(values[inside])}
    numbers = {name: values for name, values in numbers.items() if np.ptp(values) > 0.0}
    if len(rewards) < FEWEST_STEPS or len(np.unique(rewards)) < KINDS or not 2 <= len(numbers) <= MOST_NUMBERS:
        return None
    others = {name: values for name, values in numbers.items() if not is_whole_reward(values, rewards)}
    for name, weight in fit_weights(others, rewards).items():
        values, rest = others[name], {other: each for other, each in others.items() if other != name}
        if not COST.search(name) or OTHERWISE.search(name) or float(values.min()) < 0.0 < float(values.max()):
            continue
        due = values != 0.0
        paid = weight * float(values[due].mean())
        moved = abs(weight) * float(values.std())
        counts = int(due.sum()) >= FEWEST and paid > 0.0 and moved >= WEIGHTY * float(rewards.std())
        if counts and not fit_weights(rest, values):  # the sum of others has no weight of its own
            words = (
                f"the reward is a sum of {len(others)} numbers of the info and adds {weight:.3g} times info['{name}']"
            )
            return PaidCost(name, weight, f"{words}, which is a cost by its name")
    return None


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
            paid = weight * float(cost[due].mean())
            words = f"where info['{name}'] is not 0, a step pays {paid:.3g} more, which is a cost by its name"
            return PaidCost(name, weight, words)
    return None
