"""Where an environment is and where it should be, by its attributes: distances that a survey can be held against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.held import Flags, HeldState, Ints
from weaklink.base.evidence.series import Array

SELDOM = 0.05  # the share of steps at which a goal may be replaced by the next one

LARGEST = 8  # numbers of a place
MOST_PAIRS = 200


class GoalPair(NamedTuple):
    """An attribute that moves and one of the same size that holds still, with the columns of both."""

    mover: str
    goal: str
    moving: Ints
    held_still: Ints


def list_goal_pairs(held: HeldState) -> Iterator[GoalPair]:
    """Every attribute that holds still but for rare steps, beside every run of as many numbers of one that moves."""
    changing = np.mean(held.before != held.after, axis=0)
    names = {name: columns for name, columns in held.attributes.items() if held.finite[columns].all()}
    goals = {name: columns for name, columns in names.items() if _holds_still(held, columns, changing)}
    pairs = 0
    for goal, there in goals.items():
        for mover, columns in names.items():
            if mover == goal or len(columns) < len(there):
                continue
            for first in range(len(columns) - len(there) + 1):
                here = columns[first : first + len(there)]
                if float(changing[here].max()) > SELDOM and pairs < MOST_PAIRS:
                    pairs += 1
                    yield GoalPair(mover, goal, here, there)


def _holds_still(held: HeldState, columns: Ints, changing: Array) -> bool:
    """Whether an attribute is drawn anew by resets, or now and then, and holds still in between."""
    if len(columns) > LARGEST or float(changing[columns].max()) > SELDOM:
        return False
    return bool(np.ptp(held.before[:, columns], axis=0).any())


def measure_distances(held: HeldState, pair: GoalPair, order: int) -> tuple[Array, Array]:
    """The distance to the goal of before each step, before the step and after it."""
    goal = held.before[:, pair.held_still]
    near = np.linalg.norm(held.before[:, pair.moving] - goal, ord=order, axis=1)
    far = np.linalg.norm(held.after[:, pair.moving] - goal, ord=order, axis=1)
    return near, far


def mark_plain_steps(held: HeldState, pair: GoalPair) -> Flags:
    """The steps that neither end an episode nor replace the goal: events are paid apart."""
    plain = np.all(held.before[:, pair.held_still] == held.after[:, pair.held_still], axis=1)
    plain[held.lasts] = False
    return np.asarray(plain)
