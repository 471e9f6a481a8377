"""A head of action values, or a critic of actions, from replay: which entry the loss moves, and towards what.

Each row comes once, so its target `value - gradient / weight` is known up to the weight. With the reward and what the
networks answered of the next observation it is a straight line in everything unknown, wherever the episode goes on:
`value - reward = gradient / weight + gamma * next value`. What the rows at ends are pulled towards then follows too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.lines import FEWEST, VISIBLE, fit_mostly, measure_rounding, measure_spread
from weaklink.collect.monitor.reading.state_values import HUBER, SAME, SQUARE, find_limit

UNCLEAR = -1
"""Stands for the entry of a row in which not exactly one is moved."""


FEW_ROWS, ROWS_A_COLUMN = 256, 4
"""Rows that tell at first sight whether candidates can be right, and how many of them each candidate takes."""

MOSTLY_KNOWN = 0.5
"""The share of rows of which a candidate must say something."""


@dataclass(frozen=True, slots=True, eq=False)
class OneStepFit:
    """What a loss on replayed rows asked for.

    Attributes:
        source: the name of the next values that fit.
        weight: of the loss, times the rows of a minibatch.
        gamma: the discount of the next value.
        soft: the weight of the log-probability that the next value is less by; None where there is none.
        targets: (n,) what each value is pulled towards; NaN where the gradient is, or may be, at the limit of a
            Huber loss.
        unexplained: what rows within episodes leave, as a share of the spread of the targets.
        off: the share of rows within episodes that do not follow.
        loss: SQUARE or HUBER.
        scale: the factor of the reward, 1 unless it was looked for.
        shift: what is added to every reward, 0 unless it was looked for.
    """

    source: str
    weight: float
    gamma: float
    soft: float | None
    targets: Array
    unexplained: float
    off: float
    loss: str
    scale: float = 1.0
    shift: float = 0.0


def find_moved(asked: Array) -> Array:
    """The entry of each row that gets a gradient; UNCLEAR where it is not exactly one."""
    moved = asked != 0.0
    return np.asarray(np.where(moved.sum(axis=1) == 1, np.argmax(moved, axis=1), UNCLEAR))


def may_fit(
    values: Array,
    asked: Array,
    rewards: Array,
    ended: Array,
    columns: Sequence[Array],
    *,
    scaled: bool = False,
    shifted: bool = False,
) -> bool:
    """Whether all candidates together explain some rows; where they do not, none of them does, and none need be tried.

    Args:
        values: (n,) what the entry that is moved was.
        asked: (n,) the gradient at it.
        rewards: (n,) of the row's step.
        ended: (n,) whether its episode ended with it.
        columns: (n,) next values and log-probabilities, in any reading.
        scaled: whether the reward has a factor of its own.
        shifted: whether one number is added to every reward besides.
    """
    columns = [each for each in columns if np.isfinite(each).mean() >= MOSTLY_KNOWN]
    columns += ([rewards] if scaled else []) + ([np.ones_like(rewards)] if shifted else [])
    known = _find_inner(values, asked, ended, find_limit(asked)) & np.isfinite(rewards)
    rows = np.flatnonzero(known & np.all([np.isfinite(each) for each in columns], axis=0))[:FEW_ROWS]
    if len(rows) < ROWS_A_COLUMN * (len(columns) + 1):
        return True
    table = np.stack([asked[rows], *(each[rows] for each in columns)], axis=1)
    given = np.zeros(len(rows)) if scaled else rewards[rows]
    wanted = values[rows] - given
    spread = measure_spread(wanted) + measure_spread(given)
    return fit_mostly(table, wanted, VISIBLE * spread + measure_rounding(table[:, 1:], wanted)) is not None


def fit_one_step(
    values: Array,
    asked: Array,
    rewards: Array,
    ended: Array,
    following: Mapping[str, Array],
    log_probs: Array | None = None,
    *,
    scaled: bool = False,
    shifted: bool = False,
) -> OneStepFit | None:
    """Weight, discount and targets; None where none of the next values fits.

    Args:
        values: (n,) what the entry that is moved was.
        asked: (n,) the gradient at it, times the rows of its minibatch.
        rewards: (n,) of the row's step.
        ended: (n,) whether its episode ended with it; such rows are not asked.
        following: (n,) next values by name, the right ones first: what the networks answered of the next observation.
        log_probs: (n,) of the next action, where the networks drew one.
        scaled: whether the reward has a factor of its own, as a trainer gives it on purpose.
        shifted: whether one number is added to every reward besides.
    """
    if scaled and not np.any(rewards):
        return None
    limit = find_limit(asked)
    inner = _find_inner(values, asked, ended, limit)
    fits = []
    for name, ahead in following.items():
        columns = [asked, ahead, *(() if log_probs is None else (-log_probs,))]
        columns += ([rewards] if scaled else []) + ([np.ones_like(rewards)] if shifted else [])
        found = _fit_line(values, np.zeros_like(rewards) if scaled else rewards, columns, inner)
        if found is not None:
            fits.append((found, name))
    if not fits:
        return None
    best = min(each[0][1] for each in fits)
    # of next values that fit as well as the best, the one that was named first
    (factors, unexplained, off), name = next(each for each in fits if each[0][1] <= 2.0 * best + SAME)
    # the largest gradient of all may be at a limit that too few rows reach to show it
    largest = float(np.abs(asked).max()) if limit is None else limit
    targets = np.where(np.abs(asked) < largest * (1.0 - SAME), values - factors[0] * asked, np.nan)
    return OneStepFit(
        source=name,
        weight=float(1.0 / factors[0]),
        gamma=float(factors[1]),
        soft=None if log_probs is None else float(factors[2] / factors[1]),
        targets=targets,
        unexplained=unexplained,
        off=off,
        loss=SQUARE if limit is None else HUBER,
        scale=float(factors[-2 if shifted else -1]) if scaled else 1.0,
        shift=float(factors[-1]) if shifted else 0.0,
    )


def _find_inner(values: Array, asked: Array, ended: Array, limit: float | None) -> Array:
    """(n,) the rows within episodes that are asked for something, less those at the limit of a Huber loss."""
    inner = ~ended & np.isfinite(values) & (asked != 0.0)
    return np.asarray(inner if limit is None else inner & (np.abs(asked) < limit * (1.0 - SAME)))


def _fit_line(values: Array, rewards: Array, columns: list[Array], inner: Array) -> tuple[Array, float, float] | None:
    known = inner & np.all([np.isfinite(column) for column in columns], axis=0)
    if known.sum() < FEWEST:
        return None
    table, wanted = np.stack([column[known] for column in columns], axis=1), (values - rewards)[known]
    spread = measure_spread((values - rewards)[known]) + measure_spread(rewards[known])
    allowed = VISIBLE * spread + measure_rounding(table[:, 1:], wanted)
    found = fit_mostly(table, wanted, allowed)
    if found is None or found[0][1] == 0.0:
        return None
    factors, left = found
    # a next value that is the row's own explains every value by itself, whatever the loss asks for
    if not np.abs(factors[0] * table[:, 0]).max() > measure_rounding(table[:, 1:], wanted):
        return None
    kept = np.abs(left) <= allowed
    unexplained = float(np.sqrt(np.mean(left[kept] ** 2))) / max(spread, 1e-30)
    return factors, unexplained, 1.0 - float(np.mean(kept))
