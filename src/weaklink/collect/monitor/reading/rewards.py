"""Rewards as they were learned from: what targets imply of them, where a trainer changes them on purpose.

A clipped or rescaled reward is a function of the reward that never falls as it rises. A reward of another step, or one
that is lost at some rows, is not.
"""

from __future__ import annotations

import numpy as np

from weaklink.base.evidence.rollout import Array

NOTHING = 1e-3
"""Targets below this share of the values are zero but for rounding."""


def are_transformed(rewards: Array, implied: Array, allowed: float) -> bool:
    """Whether the implied rewards are a rising function of the rewards, and another than the rewards themselves.

    Args:
        rewards: (n,) what the environment gave.
        implied: (n,) what the targets were made with.
        allowed: by how much an implied reward may be off.
    """
    known = np.isfinite(rewards) & np.isfinite(implied)
    rewards, implied = rewards[known], implied[known]
    if np.all(np.abs(rewards - implied) <= allowed):
        return False
    order = np.lexsort((implied, rewards))
    given, made = rewards[order], implied[order]
    starts = np.flatnonzero(np.append(True, np.diff(given) > 0.0))
    lowest, highest = np.minimum.reduceat(made, starts), np.maximum.reduceat(made, starts)
    return bool(np.all(highest - lowest <= allowed) and np.all(np.diff(lowest) >= -allowed) and len(starts) > 1)


def is_unpaid(rewards: Array, values: Array, targets: Array) -> bool:
    """Whether nothing was paid and all targets are zero, as sums of rewards are: any discount gives these.

    Args:
        rewards: what the environment gave; NaN for rows that are none.
        values: what the critic answered, likewise.
        targets: what its loss pulled towards.
    """
    paid, size, wanted = (float(np.nanmax(np.abs(each))) for each in (rewards, values, targets))
    return paid == 0.0 and wanted <= NOTHING * size
