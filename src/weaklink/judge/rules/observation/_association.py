"""Whether two sets of columns depend on each other in any way, over a few dozen rows."""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.series import Array

SHUFFLES = 100  # shuffled rows: their mean and spread is what chance gives

MOST_ROWS = 150  # distances are compared in pairs


def measure_association(first: Array, second: Array) -> float:
    """By how many of its standard deviations the distance covariance exceeds that of shuffled rows; 0 for constants.

    Szekely, Rizzo and Bakirov, Measuring and Testing Dependence by Correlation of Distances, 2007.
    """
    one, other = _measure_distances(first[:MOST_ROWS]), _measure_distances(second[:MOST_ROWS])
    if not one.any() or not other.any():
        return 0.0
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(one)) for _ in range(SHUFFLES)]
    chance = np.array([float(np.sum(one * other[np.ix_(order, order)])) for order in orders])
    spread = float(chance.std())
    return (float(np.sum(one * other)) - float(chance.mean())) / spread if spread > 0 else 0.0


def _measure_distances(rows: Array) -> Array:
    """Distances between rows, less the means of their row and column."""
    spread = rows.std(axis=0)
    scaled = rows[:, spread > 0] / spread[spread > 0]
    apart = np.sqrt(np.maximum(((scaled[:, None, :] - scaled[None, :, :]) ** 2).sum(axis=2), 0.0))
    return np.asarray(apart - apart.mean(axis=0) - apart.mean(axis=1)[:, None] + apart.mean())
