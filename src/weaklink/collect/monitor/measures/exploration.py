"""How random the policy still is: entropy and the spread of actions."""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.metrics import ACTION_STD
from weaklink.collect.monitor.measures.numbers import Array, make_sample

MOST_DIMENSIONS = 64
"""So many action dimensions are told one by one."""

NAN = float("nan")


def entropy(entropies: Any) -> float | None:
    """The mean entropy of the policy."""
    numbers = make_sample(entropies)
    if numbers is None:
        return None
    return float(numbers.sample.mean()) if numbers.finite else NAN


def relative_entropy(entropies: Any, largest: float) -> float | None:
    """The mean entropy over the largest possible; None where the largest is none (a single action)."""
    mean = entropy(entropies)
    return None if mean is None or not largest > 0.0 else mean / largest


def action_std(deviations: Any) -> Array | None:
    """The standard deviation of each action dimension, from one row or several of (..., dimensions)."""
    raw = np.asarray(deviations, np.float64)
    if raw.size == 0:
        return None
    rows = raw.reshape(-1, raw.shape[-1]) if raw.ndim else raw.reshape(1, 1)
    each: Array = rows.mean(axis=0)
    return each


def relative_action_std(deviations: Any, scale: Any) -> Array | None:
    """The same over half of each dimension's range; None where the two do not belong together or a range is open."""
    each = action_std(deviations)
    half = np.asarray(scale, np.float64).reshape(-1)
    if each is None or half.size not in (1, each.size) or not (np.isfinite(half) & (half > 0.0)).all():
        return None
    relative: Array = each / half
    return relative


def summarise_action_spread(deviations: Any) -> dict[str, float]:
    """Mean, smallest and each standard deviation of the action dimensions, by their names in the vocabulary."""
    each = action_std(deviations)
    if each is None:
        return {}
    known = bool(np.isfinite(each).all())
    found = {
        "exploration.action_std": float(each.mean()) if known else NAN,
        "exploration.action_std_min": float(each.min()) if known else NAN,
    }
    for number, value in enumerate(each[:MOST_DIMENSIONS].tolist()):
        found[f"{ACTION_STD}{number}"] = value if np.isfinite(value) else NAN
    return found
