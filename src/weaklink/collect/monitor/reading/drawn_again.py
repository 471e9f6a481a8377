"""Two choices, of which the loss scores another one than was taken in some of the rows.

A gradient at two logits fits either choice, with another weight. But the weight of a row is its advantage, raw or
standardised, before anything was learned: where that is known, it fits one choice alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.weights import WeightRows

FEWEST = 32
"""Rows that must tell."""

CLOSE, APART = 0.03, 0.2
"""How far a weight may lie from its advantage, and how far the weights of the two choices must, in spreads of the
advantages: an entropy bonus of a hundredth adds less."""

NEARLY_ALL, SOME = 0.97, 0.1
"""The share of rows that one of the two choices must explain, and the share from which on some score the other one."""


class DrawnAgain(NamedTuple):
    """The share of rows that score the other choice, and how many tell."""

    share: float
    rows: int


def find_drawn_again(seen: WeightRows, log_probs: Array, advantages: Sequence[Array]) -> DrawnAgain | None:
    """In how many rows the other of two choices is scored; None where that cannot be told, or is never so.

    Args:
        seen: the weights of the choices that were taken.
        log_probs: (n,) of these choices.
        advantages: (rows of the tape,) each, that may be the policy's.
    """
    first = seen.steps == seen.steps.min(initial=0)
    rows, own = seen.rows[first], seen.weights[first]
    chance = np.exp(log_probs[first])
    other = -own * (1.0 - chance) / np.maximum(chance, 1e-12)
    for wanted in _list_wanted(rows, advantages):
        size = float(np.nanstd(wanted))
        tells = np.isfinite(wanted) & (np.abs(own - other) > APART * size)
        if tells.sum() < FEWEST or size <= 0.0:
            continue
        is_own, is_other = (np.abs(each - wanted)[tells] <= CLOSE * size for each in (own, other))
        share = float(np.mean(is_other & ~is_own))
        if np.mean(is_own | is_other) >= NEARLY_ALL and share >= SOME:
            return DrawnAgain(share, int(tells.sum()))
    return None


def _list_wanted(rows: Array, advantages: Sequence[Array]) -> Iterator[Array]:
    """What the weights of rows may be: advantages as they are, or standardised over the rollout or the minibatch."""
    for each in advantages:
        here = each[rows]
        yield here
        for over in (each, here):
            spread = float(np.nanstd(over)) if np.isfinite(over).any() else 0.0
            if spread > 0.0:
                yield np.asarray((here - np.nanmean(over)) / spread)
