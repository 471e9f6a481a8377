"""How well values foretell: variance left over, correlations round the end of episodes, Q values, slow copies.

The measures of episodes follow Jones, Debugging RL, Without the Agonizing Pain, 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from weaklink.base.evidence.rollout import TargetNetwork
from weaklink.collect.monitor.measures.numbers import Array, arrange_in_time, make_sample, make_sample_pair

FEWEST_PAIRS = 8
"""A correlation over fewer pairs says next to nothing."""

NAN = float("nan")


@np.errstate(all="ignore")
def residual_variance(targets: Any, values: Any) -> float | None:
    """var(target - value) / var(target); None where the targets do not vary."""
    pair = make_sample_pair(targets, values)
    if pair is None:
        return None
    wanted, given = pair
    if not (wanted.finite and given.finite):
        return NAN
    if not wanted.varies:
        return None
    return float((wanted.sample - given.sample).var() / wanted.sample.var())


def explained_variance(targets: Any, values: Any) -> float | None:
    """1 - var(target - value) / var(target); None where the targets do not vary."""
    residual = residual_variance(targets, values)
    return None if residual is None else 1.0 - residual


@np.errstate(all="ignore")
def correlation(first: Any, second: Any) -> float | None:
    """Pearson's correlation; None for fewer than eight pairs, or where one side does not vary."""
    pair = make_sample_pair(first, second)
    if pair is None:
        return None
    one, other = pair
    if one.sample.size < FEWEST_PAIRS:
        return None
    if not (one.finite and other.finite):
        return NAN
    if not (one.varies and other.varies):
        return None
    left, right = one.sample - one.sample.mean(), other.sample - other.sample.mean()
    # no `@`: the threads of a BLAS would get in the way of the training's own
    together = float((left * right).sum() / np.sqrt((left * left).sum() * (right * right).sum()))
    return min(1.0, max(-1.0, together))


def terminal_correlation(values: Any, rewards: Any, terminated: Any) -> float | None:
    """The value of the last state with the reward of the last step, over the episodes that terminated."""
    tables = arrange_in_time(values, rewards, terminated)
    if tables is None:
        return None
    valued, rewarded, ends = tables[0], tables[1], tables[2].astype(bool)
    return correlation(valued[ends], rewarded[ends])


def penultimate_correlation(values: Any, rewards: Any, terminated: Any, ended: Any = None) -> float | None:
    """The value of the last state but one with the reward of the last step, over episodes of two steps or more.

    Args:
        values: of the observation before each step.
        rewards: of each step.
        terminated: where an episode terminated.
        ended: where an episode ended for whichever reason; the same as `terminated` by default.
    """
    tables = arrange_in_time(values, rewards, terminated, terminated if ended is None else ended)
    if tables is None:
        return None
    valued, rewarded, ends = tables[0], tables[1], tables[2].astype(bool)
    last = ends[1:] & ~tables[3].astype(bool)[:-1]
    return correlation(valued[:-1][last], rewarded[1:][last])


def step_correlation(values: Any, rewards: Any, ended: Any) -> float | None:
    """By how much the value falls over a step with the reward of that step, within episodes alone."""
    tables = arrange_in_time(values, rewards, ended)
    if tables is None:
        return None
    valued, rewarded, within = tables[0].astype(np.float64), tables[1], ~tables[2].astype(bool)[:-1]
    with np.errstate(invalid="ignore", over="ignore"):
        falls: Array = valued[:-1] - valued[1:]
    return correlation(falls[within], rewarded[:-1][within])


@np.errstate(all="ignore")
def summarise_q_values(first: Any, second: Any = None) -> dict[str, float]:
    """Mean and extremes of Q values and, where there is a second critic, its mean and how far the two lie apart."""
    numbers = make_sample(first)
    if numbers is None:
        return {}
    known = numbers.finite
    found = {
        "value.q_mean": float(numbers.sample.mean()) if known else NAN,
        "value.q_min": numbers.smallest if known else NAN,
        "value.q_max": numbers.largest if known else NAN,
    }
    pair = None if second is None else make_sample_pair(first, second)
    if pair is not None:
        twin = pair[1]
        found["value.q2_mean"] = float(twin.sample.mean()) if twin.finite else NAN
        apart = np.abs(numbers.sample - twin.sample).mean() if known and twin.finite else NAN
        found["value.q_twin_spread"] = float(apart)
    return found


def find_target_distance(networks: tuple[TargetNetwork, ...]) -> float | None:
    """The latest distance between a slow copy and its online network, the largest of all copies."""
    latest = np.array([network.distances[-1] for network in networks if network.distances])
    if latest.size == 0:
        return None
    return float(latest.max()) if np.isfinite(latest).all() else NAN
