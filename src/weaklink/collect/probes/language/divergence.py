"""How strongly the KL to the reference acts in an update, in units of the weight that it was given."""

from __future__ import annotations

from itertools import product

import numpy as np

from weaklink.base.evidence.series import Array
from weaklink.base.evidence.tokens import TokenTraining
from weaklink.collect.probes.language.advantages import compute_advantages, number_groups
from weaklink.collect.probes.language.gradients import CompletionRow, SeenUpdate, compute_log_probs, read_words


def measure_kl_weight(seen: TokenTraining, update: SeenUpdate) -> tuple[float, float]:
    """The weight of the KL over `beta`, 1 where it is right, and the share of the token weights that this explains.

    Token weights are advantage less KL, both known: which of the usual advantages and estimates of the KL it is, is
    found by which fits best.
    """
    rows, temperature = update.rows, seen.settings.temperature
    whole = [(*row.prompt, *row.completion) for row in rows]
    counts = [row.length for row in rows]
    weights = np.concatenate([row.weights(temperature) for row in rows])
    lengths = np.repeat(counts, counts).astype(float)
    gaps = [
        _measure_gaps(seen, row, logits, temperature) for row, logits in zip(rows, seen.reference(whole), strict=True)
    ]
    paid = {(payment.prompt, payment.completion): payment.reward for payment in seen.payments}
    rewards = np.array([paid.get((read_words(r.prompt, seen), read_words(r.completion, seen)), 0.0) for r in rows])
    groups = number_groups(rows)
    best = (0.0, -1.0)
    for advantage, pull, power in product(
        compute_advantages(rewards, groups), _list_pulls(gaps, groups, counts), (0, 1)
    ):
        sides = np.stack([np.repeat(advantage, counts), -pull * seen.settings.beta], axis=1) / lengths[:, None] ** power
        found, explained = _solve_weights(sides, weights)
        if explained > best[1]:
            best = (found, explained)
    return best


def _measure_gaps(seen: TokenTraining, row: CompletionRow, logits: Array, temperature: float) -> Array:
    """How much likelier each own token is than under the reference, in logarithms."""
    tokens = np.array([*row.prompt, *row.completion])
    own = len(row.prompt) + np.flatnonzero(~np.isin(np.array(row.completion), seen.vocabulary.tools))
    return row.log_probs(temperature) - compute_log_probs(logits[own - 1], tokens[own], temperature)


def _list_pulls(gaps: list[Array], groups: Array, counts: list[int]) -> list[Array]:
    """The usual gradients of a KL with respect to a token's log-probability: of its third estimate, of the second,
    and of the first where it is taken from the reward."""
    each = np.concatenate(gaps)
    sums = np.array([gap.sum() for gap in gaps])
    return [1.0 - np.exp(-each), each, np.repeat(compute_advantages(sums, groups)[1], counts)]


def _solve_weights(sides: Array, weights: Array) -> tuple[float, float]:
    """The KL's weight in units of the advantage's, and the share that both explain."""
    found, *_ = np.linalg.lstsq(sides, weights, rcond=None)
    left = float(((weights - sides @ found) ** 2).sum())
    whole = float((weights**2).sum())
    if abs(found[0]) < 1e-30 or whole <= 0.0:
        return 0.0, 0.0
    return float(found[1] / found[0]), 1.0 - left / whole
