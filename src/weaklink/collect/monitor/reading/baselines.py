"""What a policy's loss subtracts from the returns: the critic's value as it is, or in other units."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array
from weaklink.collect.monitor.reading.weights import EXACT, NEAR_ONE, WeightRows, remove_entropy

FEWEST = 32
"""Rows that a minibatch needs for a slope, a baseline and an offset of its own."""

SAME = 0.01
"""How far the baselines of minibatches may lie apart."""


def fit_baseline(seen: WeightRows, bonus: float | None, targets: Array, values: Array) -> float | None:
    """How many times its value the critic is subtracted from the targets; None where no number fits exactly.

    Weights are `slope * (target - baseline * value) + offset`, with slope and offset of each minibatch.

    Args:
        seen: the weights of the policy's rows.
        bonus: the weight of the entropy, as far as it is known.
        targets: (rows of the tape,) what the critic learns.
        values: (rows of the tape,) what it answered while collecting.
    """
    pure, found = remove_entropy(seen, bonus), []
    near = np.isfinite(seen.log_ratios) & (np.abs(seen.ratios - 1.0) < NEAR_ONE)
    for batch in np.unique(seen.batches):
        rows = (seen.batches == batch) & near & np.isfinite(targets[seen.rows]) & np.isfinite(values[seen.rows])
        if rows.sum() < FEWEST:
            continue
        fitted = _fit(pure[rows] / seen.ratios[rows], targets[seen.rows[rows]], values[seen.rows[rows]])
        if fitted is None:
            return None
        found.append(fitted)
    if not found or np.ptp(found) > SAME * max(abs(np.median(found)), SAME):
        return None
    return float(np.median(found))


def _fit(weights: Array, targets: Array, values: Array) -> float | None:
    table = np.stack([targets, values, np.ones_like(values)], axis=1)
    scale = np.maximum(table.std(axis=0), 1e-30)
    scale[2] = 1.0
    factors, *_ = np.linalg.lstsq(table / scale, weights, rcond=1e-9)
    left, whole = weights - (table / scale) @ factors, float(np.sum((weights - weights.mean()) ** 2))
    slope, other = (factors / scale)[:2]
    if not whole > 0.0 or 1.0 - float(np.sum(left**2)) / whole < EXACT**2 or slope == 0.0:
        return None
    return float(-other / slope)
