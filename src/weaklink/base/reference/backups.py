"""What a learner of values ends up with on a small known problem: the right answer, and that of each known mistake.

A problem is a list of rows, as a buffer would hold them: what was seen, the reward, what was seen next, and how it
ended. A learner makes a target for each row; in the end the value of what was seen is the mean of its targets. A
mistake changes the rows or the targets, so its end can be worked out and recognised.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weaklink.base.loop import Link

Array = np.ndarray[Any, np.dtype[Any]]

MOST_ROUNDS = 2000
LARGEST = 1e4
"""Values that grow without end are stopped here."""


@dataclass(frozen=True)
class ProblemRows:
    """The rows of a problem under its right policy.

    `seen`, `following` and `restarted` are numbers of looks: what was seen, what came next (after an end the last
    observation of the episode) and what the next episode begins with. `weight` is how often a row occurs. `earlier` is
    the mean reward of the row before it in time, `later` that of the row after it.
    """

    seen: Array
    weight: Array
    reward: Array
    following: Array
    restarted: Array
    terminated: Array
    truncated: Array
    earlier: Array
    later: Array
    looks: int


Targets = Callable[[ProblemRows, Array, float], Array]


@dataclass(frozen=True)
class BackupMistake:
    """A known mistake: the link it blames, what is wrong, where to look, and the values that it leads to."""

    link: Link
    told: str
    look: str
    values: Callable[[ProblemRows, float], Array]


def right(rows: ProblemRows, gamma: float) -> Array:
    """The values that a right learner ends with."""
    return _settle(rows, gamma, lambda row, values, g: row.reward + g * ~row.terminated * values[row.following])


def _settle(rows: ProblemRows, gamma: float, targets: Targets) -> Array:
    """The values that reproduce themselves: each the mean of its own targets."""
    values = np.zeros(rows.looks)
    # as many rounds as bring what is still missing below anything that counts; without a discount values grow for ever
    rounds = MOST_ROUNDS if gamma >= 1.0 else min(MOST_ROUNDS, int(np.log(1e-5 * (1.0 - gamma)) / np.log(gamma)) + 2)
    total = np.maximum(np.bincount(rows.seen, rows.weight, rows.looks), 1e-12)
    for _ in range(rounds):
        aims = np.minimum(np.maximum(targets(rows, values, gamma), -LARGEST), LARGEST)
        before, values = values, np.bincount(rows.seen, rows.weight * aims, rows.looks) / total
        if (values == before).all():  # and so in every further round
            break
    return values


def _kept(keep: Callable[[ProblemRows], Array]) -> Callable[[ProblemRows, float], Array]:
    """A mistake in where the target bootstraps."""
    return lambda rows, gamma: _settle(
        rows, gamma, lambda row, values, g: row.reward + g * keep(row) * values[row.following]
    )


def _discounted(change: Callable[[float], float]) -> Callable[[ProblemRows, float], Array]:
    return lambda rows, gamma: right(rows, change(gamma))


def _rewarded(change: Callable[[ProblemRows], Array]) -> Callable[[ProblemRows, float], Array]:
    return _rewarded_by(lambda rows, gamma: change(rows))


def _rewarded_by(change: Callable[[ProblemRows, float], Array]) -> Callable[[ProblemRows, float], Array]:
    return lambda rows, gamma: right(replace(rows, reward=change(rows, gamma)), gamma)


def _own_state(rows: ProblemRows, gamma: float) -> Array:
    return _settle(rows, gamma, lambda row, values, g: row.reward + g * ~row.terminated * values[row.seen])


def _next_start(rows: ProblemRows, gamma: float) -> Array:
    """The target bootstraps from the next episode's start, and the end is ignored."""
    ended = rows.terminated | rows.truncated
    following = np.where(ended, rows.restarted, rows.following)
    return right(replace(rows, following=following, terminated=np.zeros_like(rows.terminated)), gamma)


def _advantage(rows: ProblemRows, gamma: float) -> Array:
    return _settle(
        rows,
        gamma,
        lambda row, values, g: 0.5 * (row.reward + g * ~row.terminated * values[row.following]),
    )


def _everywhere(rows: ProblemRows, gamma: float) -> Array:
    values = right(rows, gamma)
    return np.full(rows.looks, float(np.average(values[rows.seen], weights=rows.weight)))


def _never_negative(rows: ProblemRows, gamma: float) -> Array:
    return _settle(
        rows,
        gamma,
        lambda row, values, g: np.maximum(0.0, row.reward + g * ~row.terminated * values[row.following]),
    )


def _reset_rows(rows: ProblemRows, gamma: float) -> Array:
    """After each end one more row, from the last observation to the next start, as if it were a step."""
    ended = rows.terminated | rows.truncated
    none = np.zeros(int(ended.sum()))
    more = ProblemRows(
        seen=np.concatenate([rows.seen, rows.following[ended]]),
        weight=np.concatenate([rows.weight, rows.weight[ended]]),
        reward=np.concatenate([rows.reward, none]),
        following=np.concatenate([rows.following, rows.restarted[ended]]),
        restarted=np.concatenate([rows.restarted, rows.restarted[ended]]),
        terminated=np.concatenate([rows.terminated, none.astype(bool)]),
        truncated=np.concatenate([rows.truncated, none.astype(bool)]),
        earlier=np.concatenate([rows.earlier, none]),
        later=np.concatenate([rows.later, none]),
        looks=rows.looks,
    )
    return right(more, gamma)


def _seen_late(rows: ProblemRows, gamma: float) -> Array:
    """The target of a row is learned at the observation that came after it."""
    values = right(rows, gamma)
    ended = rows.terminated | rows.truncated
    shown = np.where(ended, rows.restarted, rows.following)
    total = np.maximum(np.bincount(shown, rows.weight, rows.looks), 1e-12)
    aims = rows.reward + gamma * ~rows.terminated * values[rows.following]
    return np.bincount(shown, rows.weight * aims, rows.looks) / total


def _untouched(rows: ProblemRows, gamma: float) -> Array:
    return np.zeros(rows.looks)


MISTAKES: dict[str, BackupMistake] = {
    "terminal ignored": BackupMistake(
        Link.ENVIRONMENT,
        "the end of an episode does not reach the learner: the target bootstraps through a terminal",
        "whether terminated is stored, and where the target or the advantage is masked with (1 - terminated)",
        _kept(lambda row: np.ones(len(row.seen))),
    ),
    "bootstraps from the next episode's start": BackupMistake(
        Link.ENVIRONMENT,
        "at the end of an episode the target bootstraps from the first observation of the next one",
        "which observation the target uses after an automatic reset, and the mask (1 - terminated)",
        _next_start,
    ),
    "bootstraps from the next episode's start at a time limit": BackupMistake(
        Link.ENVIRONMENT,
        "at a time limit the target bootstraps from the first observation of the next episode",
        "which observation the target uses at a truncation after an automatic reset: `final_obs` or "
        "`final_observation` of the info, not the one that the step returned",
        lambda rows, gamma: right(
            replace(rows, following=np.where(rows.truncated, rows.restarted, rows.following)), gamma
        ),
    ),
    "time limit taken for a terminal": BackupMistake(
        Link.ENVIRONMENT,
        "a time limit is treated like a terminal",
        "where done = terminated or truncated masks the target; bootstrap from the last observation at a truncation",
        _kept(lambda row: ~(row.terminated | row.truncated)),
    ),
    "mask inverted": BackupMistake(
        Link.RETURNS,
        "the target bootstraps at the end of an episode and nowhere else",
        "the mask of the target: it uses done where (1 - done) belongs",
        _kept(lambda row: row.terminated | row.truncated),
    ),
    "only the immediate reward": BackupMistake(
        Link.RETURNS,
        "the target does not bootstrap: only the immediate reward is learned",
        "the bootstrap value in the target, the direction of the time loop, and whether the target network is updated",
        _kept(lambda row: np.zeros(len(row.seen))),
    ),
    "no discount": BackupMistake(
        Link.RETURNS,
        "the discount is not applied",
        "gamma in the target, in the return or in the advantage",
        _discounted(lambda gamma: 1.0),
    ),
    "discounted twice": BackupMistake(
        Link.RETURNS,
        "the discount is applied twice",
        "gamma both in the reward or buffer and in the target",
        _discounted(lambda gamma: gamma**2),
    ),
    "bootstraps from its own value": BackupMistake(
        Link.RETURNS,
        "the target bootstraps from the value of the state itself, not from that of the next one",
        "which observation the network gets for the target: it must be the next one",
        _own_state,
    ),
    "bootstraps from the largest of a batch": BackupMistake(
        Link.VALUE,
        "the target bootstraps from the largest value of all observations, not from that of the next one",
        "the axis of the maximum over next values: over the actions of a row, not over the batch",
        lambda rows, gamma: _settle(
            rows, gamma, lambda row, values, g: row.reward + g * ~row.terminated * values.max()
        ),
    ),
    "reward with the wrong sign": BackupMistake(
        Link.REWARD,
        "the value learns the negative of the reward",
        "the sign of the reward between the environment and the buffer, and of the value loss",
        _rewarded(lambda row: -row.reward),
    ),
    "reward without its sign": BackupMistake(
        Link.REWARD,
        "the value learns the size of the reward without its sign",
        "an absolute value, a square or an unsigned type between the environment and the buffer",
        _rewarded(lambda row: np.abs(row.reward)),
    ),
    "reward by its sign alone": BackupMistake(
        Link.REWARD,
        "the value learns the sign of the reward without its size",
        "a sign() of the reward between the environment and the buffer",
        _rewarded(lambda row: np.sign(row.reward)),
    ),
    "reward cut to an integer": BackupMistake(
        Link.REWARD,
        "rewards are truncated to integers",
        "the dtype of the array that stores the rewards: it must be floating point",
        _rewarded(lambda row: np.trunc(row.reward)),
    ),
    "reward one step late": BackupMistake(
        Link.DATA,
        "each observation is stored with the reward of the step before it",
        "the order of step, store and assign in the collecting loop",
        _rewarded(lambda row: row.earlier),
    ),
    "reward one step early": BackupMistake(
        Link.DATA,
        "each observation is stored with the reward of the step after it",
        "the order of step, store and assign in the collecting loop, and the indices of the buffer",
        _rewarded(lambda row: row.later),
    ),
    "observation one step late": BackupMistake(
        Link.DATA,
        "targets are learned at the observation one step later",
        "whether the buffer stores the observation before the step or the one that the step returned",
        _seen_late,
    ),
    "reset stored as a step": BackupMistake(
        Link.ENVIRONMENT,
        "the automatic reset is stored as if it were a step",
        "rows after the end of an episode: with next-step autoreset the row that only resets must be left out",
        _reset_rows,
    ),
    "reward discounted too": BackupMistake(
        Link.RETURNS,
        "the reward of the step itself is discounted as well",
        "the brackets of the target: reward + gamma * next value; and the first exponent of gamma in a return: 0",
        _rewarded_by(lambda row, gamma: gamma * row.reward),
    ),
    "reward clipped": BackupMistake(
        Link.REWARD,
        "rewards are clipped to [-1, 1]",
        "a clip of the reward between the environment and the buffer",
        _rewarded(lambda row: np.clip(row.reward, -1.0, 1.0)),
    ),
    "advantage for a target": BackupMistake(
        Link.RETURNS,
        "the value is trained on the advantage and not on the return: its answers are half of the right ones",
        "the target of the value loss: it must be advantage + value",
        _advantage,
    ),
    "the same value everywhere": BackupMistake(
        Link.VALUE,
        "the value is the mean over all observations, whatever is observed",
        "shapes in the value loss (a (B, 1) against a (B,) becomes (B, B)), and whether a gradient and the right "
        "observations reach the value network",
        _everywhere,
    ),
    "never negative": BackupMistake(
        Link.VALUE,
        "no value falls below zero",
        "the last layer of the value network: no ReLU or softmax belongs there",
        _never_negative,
    ),
    "never beyond one": BackupMistake(
        Link.VALUE,
        "no value exceeds 1 or falls below -1",
        "the last layer of the value network: no tanh, sigmoid or clip belongs there",
        lambda rows, gamma: np.clip(right(rows, gamma), -1.0, 1.0),
    ),
    "never learned": BackupMistake(
        Link.OPTIMIZER,
        "the value stays at its initialisation, near zero",
        "which parameters the optimizer holds, its learning rate, the coefficient of the value loss, a missing "
        "backward(), a buffer that stays empty",
        _untouched,
    ),
}
