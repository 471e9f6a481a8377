"""How large the rewards of a run allow its values and value targets to be."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Series
from weaklink.base.stats import level
from weaklink.judge.rules._hyperparameters import read_flag, read_number, read_positive

# the default of Stable-Baselines3, CleanRL and RLlib
USUAL_GAMMA = 0.99

# steps; for a gamma of 1 or nearly 1, where 1 / (1 - gamma) means nothing
LONGEST_HORIZON = 1e4

# where VecNormalize clips by default
NORMALISED_REWARD = 10.0

# nats a step, generously: seven action dimensions of standard deviation 1 have that much
USUAL_ENTROPY = 10.0

_RETURNS = ("reward.episode_return", "reward.episode_return_min", "reward.episode_return_max", "evaluation.return")


def compute_horizon(run: Run) -> float:
    """How many steps of reward a value sums: 1 / (1 - gamma), with the usual gamma where none is known."""
    gamma = read_positive(run.config, "gamma")
    gamma = USUAL_GAMMA if gamma is None else gamma
    return 1.0 / max(1.0 - gamma, 1.0 / LONGEST_HORIZON)


def compute_largest_value(run: Run) -> float | None:
    """The largest absolute value that the rewards seen allow, or None where neither rewards nor returns are logged.

    It is generous: the largest of all bounds that the log gives, plus the entropy bonus of a soft critic, and in the
    units of the normalised reward where rewards are normalised.
    """
    bounds = [*_bound_by_reward(run), *_bound_by_return(run)]
    if not bounds:
        return None
    scale = read_number(run.config, "reward_scale", "reward_scaling", "reward_factor")
    bound = max(bounds) * max(abs(scale or 1.0), 1.0)
    temperature = run.get("exploration.temperature")
    if temperature is not None:
        bound += level(np.abs(temperature.values)) * USUAL_ENTROPY * compute_horizon(run)
    if read_flag(run.config, "norm_reward", "normalize_reward", "normalize_rewards", "normalize"):
        bound = max(bound, NORMALISED_REWARD * compute_horizon(run))
    return bound


def find_extreme(series: Series) -> float:
    """The largest absolute value in a series, the extremes behind each point included."""
    return float(max(np.abs(series.lows).max(), np.abs(series.highs).max()))


def _bound_by_reward(run: Run) -> Iterator[float]:
    for name in ("reward.min", "reward.max"):
        if name in run:
            yield find_extreme(run[name]) * compute_horizon(run)


def _bound_by_return(run: Run) -> Iterator[float]:
    yield from (find_extreme(run[name]) for name in _RETURNS if name in run)
    for returns, lengths in (
        ("reward.episode_return", "task.episode_length"),
        ("evaluation.return", "evaluation.length"),
    ):
        if returns in run and lengths in run:
            length = np.interp(run[returns].steps, run[lengths].steps, run[lengths].values)
            rate = np.abs(run[returns].values) / np.maximum(length, 1.0)
            yield float(rate.max()) * compute_horizon(run)
