"""The stored log-probabilities of other choices than those that were taken, as of an action that was drawn anew.

The weight of a row is its advantage times the ratio in the loss. With the policy that acted there are as many ratios as
choices: those of the choice that is scored to each that may have been stored. Where nearly all weights follow exactly,
each with one of them, it is plain whose log-probability was stored for every row.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.base.reference.divergences import log_softmax
from weaklink.collect.monitor.reading.weights import FIRM, WeightFit, WeightRows

FEWEST, MOST_BATCHES = 32, 8
"""Rows of a minibatch that tell its scale and offset, and minibatches that are looked at."""

FEWEST_BATCHES, MOSTLY, FEWEST_ROWS = 2, 0.5, 64
"""Minibatches that must tell, the share of all that must, for a fit may get stuck, and their rows."""

EXACTLY, NEARLY_ALL, SOME = 5e-4, 0.97, 0.1
"""What a ratio may leave of a weight, as a share of their spread; the share of rows that must follow one; and the share
of rows with the ratio to another choice, alone, from which on it is reported."""

RELATED = 0.5
"""The correlation of weights and advantages below which they have too little in common to begin with."""

ROUNDS = 30


def find_other_stored(
    seen: WeightRows, answers: Array, taken: Array, explained: WeightFit | None, advantages: Sequence[Array]
) -> float | None:
    """In which share of the rows the stored log-probability is that of another choice; None where that is not plain.

    Args:
        seen: the weights of the choices that were taken.
        answers: (n, k) the logits of the policy that acted.
        taken: (n,) the choices that were taken, which the loss scores.
        explained: how the weights follow from the advantages with the right ratio.
        advantages: (rows of the tape,) each, that may be the policy's.
    """
    if explained is None or not RELATED < abs(explained.correlation) < FIRM or not np.isfinite(answers).all():
        return None
    old = log_softmax(answers)
    new = seen.log_ratios + old[np.arange(len(taken)), taken]
    ratios = np.exp(np.clip(new[:, None] - old, -20.0, 20.0))
    for each in advantages:
        told = [
            _read_batch(seen.take(there), each[seen.rows[there]], ratios[there], taken[there])
            for there in _list_batches(seen, each)
        ]
        others = [one for one in told if one is not None]
        rows = np.concatenate(others) if others else np.zeros(0)
        enough = len(others) >= max(FEWEST_BATCHES, MOSTLY * len(told))
        if enough and len(rows) >= FEWEST_ROWS and rows.mean() >= SOME:
            return float(rows.mean())
    return None


def _list_batches(seen: WeightRows, advantages: Array) -> list[Array]:
    """(n,) masks of the first minibatches with rows enough."""
    known = np.isfinite(advantages[seen.rows]) & np.isfinite(seen.log_ratios)
    there = [known & (seen.batches == name) for name in np.unique(seen.batches)]
    return [each for each in there if each.sum() >= FEWEST][:MOST_BATCHES]


def _read_batch(seen: WeightRows, advantages: Array, ratios: Array, taken: Array) -> Array | None:
    """(n,) whether a row follows with the ratio to another choice alone; None where rows follow none.

    Rows that were clipped have no weight but for an entropy bonus. Each row is given the ratio that fits best, and the
    scale, the offset and the bonus are fitted anew, until nothing changes.
    """
    index, size = np.arange(len(taken)), float(np.std(seen.weights))
    choices = np.concatenate([ratios, np.zeros((len(taken), 1))], axis=1)  # the last: clipped
    picked = taken.copy()
    bonus = [-seen.entropy_column] if np.any(seen.entropy_column) else []
    for _ in range(ROUNDS):
        ratio = choices[index, picked]
        table = np.stack([advantages * ratio, ratio, *bonus], axis=1)
        factors, *_ = np.linalg.lstsq(table, seen.weights, rcond=1e-10)
        rest = seen.weights - (factors[2] * bonus[0] if bonus else 0.0)
        left = np.abs(rest[:, None] - (factors[0] * advantages + factors[1])[:, None] * choices)
        best = left.argmin(axis=1)
        if np.array_equal(best, picked):
            break
        picked = best
    if size <= 0.0 or np.mean(left[index, picked] <= EXACTLY * size) < NEARLY_ALL:
        return None
    own = np.minimum(left[index, taken], left[:, -1]) <= EXACTLY * size
    return np.asarray(~own)
