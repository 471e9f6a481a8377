"""Rewards and what was made of them: how many count, how large advantages grow, groups of completions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Any

import numpy as np

from weaklink.base.evidence.metrics import COMPONENT
from weaklink.collect.monitor.measures.numbers import make_sample, make_sample_pair

NOTHING = 1e-3
"""A reward no larger than this counts as none."""

NAN = float("nan")


def nonzero_fraction(rewards: Any) -> float | None:
    """The share of steps whose absolute reward is over 0.001."""
    numbers = make_sample(rewards)
    if numbers is None:
        return None
    return float((np.abs(numbers.sample) > NOTHING).mean()) if numbers.finite else NAN


def abs_max(array: Any) -> float | None:
    """The largest absolute number."""
    numbers = make_sample(array)
    if numbers is None:
        return None
    return numbers.size if numbers.finite else NAN


@np.errstate(all="ignore")
def measure_group_spread(rewards: Any, prompts: Any) -> dict[str, float]:
    """The mean spread of rewards within the completions of one prompt, and the share of prompts without any.

    The spread is that of a sample (n - 1), as trainers of groups take it; prompts with one completion are left out.
    """
    pair = make_sample_pair(rewards, prompts)
    if pair is None:
        return {}
    reward, prompt = pair[0].sample, pair[1].sample
    _, members, sizes = np.unique(prompt, return_inverse=True, return_counts=True)
    mean = np.bincount(members, reward) / sizes
    squares = np.bincount(members, (reward - mean[members]) ** 2)
    several = sizes > 1
    if not several.any():
        return {}
    if not pair[0].finite:
        return {"reward.group_std": NAN, "reward.zero_spread_fraction": NAN}
    spread = np.sqrt(squares[several] / (sizes[several] - 1))
    return {
        "reward.group_std": float(spread.mean()),
        "reward.zero_spread_fraction": float((spread <= 1e-9 * max(1.0, pair[0].size)).mean()),
    }


def average_reward_components(episodes: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each reward component over the episodes that have it, as `reward.component.<name>`."""
    columns: dict[str, list[float]] = {}
    for parts in episodes:
        for name, value in parts.items():
            columns.setdefault(f"{COMPONENT}{name}", []).append(float(value))
    return {
        name: float(np.mean(values)) if all(isfinite(value) for value in values) else NAN
        for name, values in columns.items()
    }
