"""A head of logits: which choice its loss scores, with which weight a row, and the weight of the entropy bonus.

Whatever the loss makes of the log-probability of a choice, the gradient at the logits is `-weight * (one-hot - p)`, and
that of an entropy bonus is `entropy_weight * p * (log p + entropy)`, with one weight for all rows. With three or more
choices the two directions differ, so both follow by least squares. With two they do not: then a weight is known up to
the bonus.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.divergences import log_softmax

FAINT = 1e-3
"""Rows whose gradient is smaller than this share of the usual one do not tell which choice was scored."""

CLEARLY = 0.1
"""Another choice than the one taken was scored where it leaves less than this share of what the taken one leaves."""

EXPLAINED = 0.05
"""A row is explained where what is left of its gradient is below this share of it."""

SILENT, LIKELY = 1e-5, 1e-3
"""An entry of at least this probability that gets less than that share of its row's gradient is masked: a choice that
the loss can reach gets a share of its own probability."""

TWICE = 1e-4
"""What a softmax of a softmax may leave of the gradients; a softmax leaves a hundred times as much of such a loss."""

ROUNDS = 4


@dataclass(frozen=True, slots=True, eq=False)
class ChoiceFit:
    """What a loss asked of the logits of one choice a row.

    Attributes:
        weights: (n,) how strongly the taken choice is made likelier, times the rows of the minibatch.
        entropy_column: (n,) what one unit of entropy bonus adds to a weight that was read without it; zeros where the
            bonus was told apart.
        entropy_weight: of the bonus, above 0 where entropy is raised; None where it cannot be told apart row by row.
        log_probs: (n,) of the taken choice.
        firmness: (n,) the square of the gradient that a weight of 1 makes; 0 where there is none at all, as where only
            one choice is open.
        told: (n,) whether the row tells which choice was scored.
        scored: (n,) the choice that fits best; the taken one where the row does not tell.
        explained: the share of these rows whose gradient the scored choice and the bonus explain.
        unexplained: the root mean square that is left of the gradients, relative to theirs.
        masked: the share of entries that are masked.
        evenness: the mean entropy as a share of the largest that the open choices can have.
    """

    weights: Array
    entropy_column: Array
    entropy_weight: float | None
    log_probs: Array
    firmness: Array
    told: Array
    scored: Array
    explained: float
    unexplained: float
    masked: float
    evenness: float


def fit_choices(logits: Array, asked: Array, taken: Array) -> ChoiceFit:
    """Reads one choice a row.

    Args:
        logits: (n, k), or probabilities, which are recognised.
        asked: (n, k) the gradient, times the rows of its minibatch.
        taken: (n,) the choice that was taken.
    """
    logits, asked = _read_logits(logits, asked)
    logs = log_softmax(logits)
    chance = np.exp(logs)
    entropy = -np.sum(chance * np.where(chance > 0, logs, 0.0), axis=1, keepdims=True)
    bonus = chance * np.where(chance > 0, logs + entropy, 0.0)
    index = np.arange(len(taken))
    allowed = (chance > 0).sum(axis=1)
    entropy_weight, scored = 0.0, taken
    size = np.linalg.norm(asked, axis=1)
    separable = (allowed > 2) & (size > 0.0)
    if separable.any():
        entropy_weight, scored = _separate(chance, asked, bonus, taken, separable)
    rest = asked - entropy_weight * bonus
    weights, left = _project(rest, chance, taken)
    direction = _point(chance, taken)
    square = np.maximum(np.sum(direction**2, axis=1), 1e-30)
    column = np.sum(bonus * direction, axis=1) / square
    told = (size > FAINT * max(float(np.median(size)), 1e-30)) & separable
    whole = float(np.sum(asked**2))
    last = np.linalg.norm(_project(rest, chance, scored)[1], axis=1)
    return ChoiceFit(
        weights=weights,
        entropy_column=np.zeros_like(column) if separable.any() else column,
        entropy_weight=entropy_weight if separable.any() else None,
        log_probs=logs[index, taken],
        firmness=np.where(size > 0.0, square, 0.0),
        told=told,
        scored=np.where(told, scored, taken),
        explained=float(np.mean((last < EXPLAINED * size)[told])) if told.any() else 0.0,
        unexplained=float(np.sqrt(np.sum(left**2) / whole)) if whole > 0 else 0.0,
        masked=float(np.mean(chance == 0.0)),
        evenness=float(np.mean(entropy[allowed > 1, 0] / np.log(allowed[allowed > 1]))) if np.any(allowed > 1) else 0.0,
    )


def takes_softmax_twice(outputs: Array, asked: Array, taken: Array) -> bool:
    """Whether the loss scores choices by a softmax of a softmax of the outputs, which explains all that is asked.

    At the inner probabilities such a gradient is that at logits; what arrives at the outputs has gone through the inner
    softmax, so only its part within that is compared.
    """
    bonus, point = _pull_through_twice(outputs, taken)
    square = np.maximum(np.sum(point**2, axis=1, keepdims=True), 1e-30)

    def leave(rows: Array) -> Array:
        return np.asarray(rows - point * np.sum(rows * point, axis=1, keepdims=True) / square)

    left, column = leave(asked), leave(bonus)
    whole = float(np.sum(column**2))
    left = left - column * (float(np.sum(left * column)) / whole if whole > 1e-30 else 0.0)
    return float(np.sum(left**2)) <= TWICE**2 * float(np.sum(asked**2))


def weigh_softmax_twice(outputs: Array, asked: Array, taken: Array) -> tuple[Array, Array]:
    """(n,) how strongly each row's choice is made likelier, where its probability is a softmax of a softmax, and (n,)
    what a unit of entropy bonus adds to that."""
    bonus, point = _pull_through_twice(outputs, taken)
    square = np.maximum(np.sum(point**2, axis=1), 1e-30)
    return np.asarray(-np.sum(asked * point, axis=1) / square), np.asarray(np.sum(bonus * point, axis=1) / square)


def _pull_through_twice(outputs: Array, taken: Array) -> tuple[Array, Array]:
    """What an entropy bonus and a scored choice ask of outputs of which a softmax is taken twice."""
    inner = np.exp(log_softmax(outputs))
    logs = log_softmax(inner)
    chance = np.exp(logs)
    entropy = -np.sum(chance * logs, axis=1, keepdims=True)

    def pull_through(gradient: Array) -> Array:
        return np.asarray(inner * (gradient - np.sum(inner * gradient, axis=1, keepdims=True)))

    return pull_through(chance * (logs + entropy)), pull_through(_point(chance, taken))


def split_choices(asked: Array, count: int) -> list[slice] | None:
    """Where the logits of several choices side by side begin and end: the gradients of each add up to zero."""
    size = np.maximum(np.abs(asked).sum(axis=1), 1e-30)
    running = np.abs(np.cumsum(asked, axis=1)) / size[:, None]
    ends = np.flatnonzero(np.max(running, axis=0) < 1e-4) + 1
    if len(ends) != count or not len(ends) or ends[-1] != asked.shape[1]:
        return None
    starts = np.concatenate([[0], ends[:-1]])
    return [slice(int(start), int(end)) for start, end in zip(starts, ends, strict=True)]


def _read_logits(outputs: Array, asked: Array) -> tuple[Array, Array]:
    """Logits and gradients at them, those of masked entries minus infinity."""
    if np.all(outputs >= 0.0) and np.allclose(outputs.sum(axis=1), 1.0, atol=1e-4):
        asked = outputs * (asked - np.sum(outputs * asked, axis=1, keepdims=True))
        outputs = np.log(np.maximum(outputs, 1e-30))
    return np.where(find_masked(outputs, asked), -np.inf, outputs), asked


def find_masked(logits: Array, asked: Array) -> Array:
    """The entries that get no gradient, but for rounding, although they are likely enough for one."""
    largest = np.abs(asked).max(axis=1, keepdims=True)
    silent = (np.abs(asked) <= SILENT * largest) & (np.exp(log_softmax(logits)) > LIKELY)
    return np.asarray((silent | (asked == 0.0)) & (largest > 0.0))


def _point(chance: Array, choices: Array) -> Array:
    """The direction in which the logits move that makes the choice likelier."""
    direction = -chance
    direction[np.arange(len(choices)), choices] += 1.0
    return np.asarray(direction)


def _project(rest: Array, chance: Array, choices: Array) -> tuple[Array, Array]:
    """The weight of each choice, and what it leaves of the gradient."""
    direction = _point(chance, choices)
    weights = -np.sum(rest * direction, axis=1) / np.maximum(np.sum(direction**2, axis=1), 1e-30)
    return np.asarray(weights), np.asarray(rest + weights[:, None] * direction)


def _fit_bonus(chance: Array, asked: Array, bonus: Array, choices: Array) -> float:
    """The one weight of the entropy bonus that leaves least, whatever the weights of the rows."""
    off_asked, off_bonus = (_project(each, chance, choices)[1] for each in (asked, bonus))
    square = float(np.sum(off_bonus**2))
    return float(np.sum(off_asked * off_bonus)) / square if square > 1e-30 else 0.0


def _separate(chance: Array, asked: Array, bonus: Array, taken: Array, rows: Array) -> tuple[float, Array]:
    """The weight of the bonus and the choice that each row scores."""
    weight = _fit_bonus(chance[rows], asked[rows], bonus[rows], taken[rows])
    left = _project(asked - weight * bonus, chance, taken)[1][rows]
    if float(np.sum(left**2)) <= EXPLAINED**2 * float(np.sum(asked[rows] ** 2)):
        return weight, taken
    weight, scored = 0.0, taken
    for _ in range(ROUNDS):
        scored = _find_scored(asked - weight * bonus, chance, taken)
        weight = _fit_bonus(chance[rows], asked[rows], bonus[rows], scored[rows])
    return weight, scored


def _find_scored(rest: Array, chance: Array, taken: Array) -> Array:
    """The choice that leaves least of each row's gradient; the taken one unless another leaves clearly less."""
    every = [np.full(len(taken), choice) for choice in range(chance.shape[1])]
    left = np.stack([np.sum(_project(rest, chance, each)[1] ** 2, axis=1) for each in every], axis=1)
    left = np.where(chance > 0, left, np.inf)
    best = np.argmin(left, axis=1)
    index = np.arange(len(taken))
    clearer = left[index, best] < CLEARLY**2 * left[index, taken]
    explained = left[index, best] < EXPLAINED**2 * np.sum(rest**2, axis=1)
    return np.where(clearer & explained, best, taken)
