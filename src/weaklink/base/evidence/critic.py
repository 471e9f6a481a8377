"""One fixed rollout, its discounted returns, and how much of them a critic and simpler things explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from weaklink.base.evidence.series import Array

REMAINS = 0.1
"""The weight of what was cut off above which a return is not known well enough."""

FEWEST = 256
"""Rows whose return is known; below them those of time limits are taken too."""

RIDGE = 1e-6
FEWEST_ROWS_A_COLUMN, FEWEST_REPEATS = 10, 4
"""Below them a line or a table would explain anything."""

MOST_TAUGHT = 8


class CriticFit(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of the variance of the returns that are explained, all on one rollout of a policy that stands still.

    `before` is the critic's as it is, `own` its copy's after every few updates on these returns alone, `fresh` that of
    a new network of the same shape. `linear` is a line through the observations, `table` a lookup of repeated ones.
    `taught` is how much the critic's copy learns of a known line through the observations instead of the returns,
    which anything learns that sees them. None and empty for what could not be tried; `missing` then says what it would
    take.
    """

    before: float | None
    own: tuple[float, ...] = ()
    fresh: tuple[float, ...] = ()
    linear: float | None = None
    table: float | None = None
    taught: tuple[float, ...] = ()
    rows: int = 0
    updates: int = 0
    episodes: int = 0
    mean: float = 0.0
    spread: float = 0.0
    gamma: float = 0.99
    trained: int = 0
    seconds: float = 0.0
    missing: str = ""
    notes: tuple[str, ...] = ()

    @property
    def after(self) -> float | None:
        """The most that the critic's copy came to explain."""
        return max(self.own, default=None)

    @property
    def reachable(self) -> float | None:
        """The most that anything else explains."""
        others = (*self.fresh, *(one for one in (self.linear, self.table) if one is not None))
        return max(others, default=None)


@dataclass(frozen=True, eq=False, kw_only=True)
class PlayedRollout:
    """A rollout, step by environment: `ends` where an episode ended, `cuts` where its time was merely up."""

    observations: Any
    actions: Any
    rewards: Array
    ends: Any
    cuts: Any
    gamma: float

    @staticmethod
    def flat(part: Any) -> Any:
        """Rows of all environments below each other."""
        if isinstance(part, dict):
            return {key: PlayedRollout.flat(each) for key, each in part.items()}
        return part.reshape(-1, *part.shape[2:])

    @property
    def columns(self) -> Array:
        """The observations as plain numbers, a row each."""
        flat = self.flat(self.observations)
        parts = list(flat.values()) if isinstance(flat, dict) else [flat]
        return np.concatenate([np.asarray(part, np.float64).reshape(len(part), -1) for part in parts], axis=1)

    def returns(self) -> tuple[Any, Array, str]:
        """The rows whose discounted return is known, the returns, and a remark.

        A return is known where the episode ended by itself, or so much later that what was cut off hardly counts.
        Where too few are, those of episodes that ended at their time limit are taken as they are.
        """
        totals = np.zeros_like(self.rewards)
        weight = np.ones_like(self.rewards)  # of what comes after the last step that is known
        total, left = np.zeros(self.rewards.shape[1]), np.ones(self.rewards.shape[1])
        whole = np.zeros(self.rewards.shape, dtype=bool)
        ended = np.zeros(self.rewards.shape[1], dtype=bool)
        for step in range(len(self.rewards) - 1, -1, -1):
            over, cut = self.ends[step], self.cuts[step]
            ended |= over
            total = self.rewards[step] + self.gamma * np.where(over, 0.0, total)
            left = self.gamma * np.where(over, np.where(cut, 1.0, 0.0), left)
            totals[step], weight[step], whole[step] = total, left, ended
        known = np.flatnonzero((weight <= REMAINS).reshape(-1))
        if len(known) >= FEWEST:
            return known, totals.reshape(-1)[known], ""
        known = np.flatnonzero(whole.reshape(-1))
        told = "Episodes end at their time limit, which a critic cannot see: returns late in them are smaller."
        return known, totals.reshape(-1)[known], told


def measure_linear_fit(columns: Array, returns: Array) -> float | None:
    """The share of the variance that a straight line through the observations explains; None where they are many."""
    used = columns[:, columns.std(axis=0) > 0]
    enough = 0 < used.shape[1] * FEWEST_ROWS_A_COLUMN <= len(returns)
    if not enough or not np.isfinite(used).all() or returns.std() == 0.0:
        return None
    rows = np.column_stack([(used - used.mean(axis=0)) / used.std(axis=0), np.ones(len(returns))])
    weights = np.linalg.solve(rows.T @ rows + RIDGE * len(rows) * np.eye(rows.shape[1]), rows.T @ returns)
    return float(1.0 - np.var(returns - rows @ weights) / np.var(returns))


def measure_lookup_fit(columns: Array, returns: Array) -> float | None:
    """The same for a lookup of observations that come again and again; None where they do not."""
    _, places, counts = np.unique(columns, axis=0, return_inverse=True, return_counts=True)
    if len(returns) < FEWEST_REPEATS * len(counts) or returns.std() == 0.0:
        return None
    places = places.reshape(-1)
    means = np.bincount(places, returns) / counts
    return float(1.0 - np.var(returns - means[places]) / np.var(returns))


def make_known_target(columns: Array, returns: Array, *, seed: int = 0) -> Array | None:
    """A line through a few observations with the mean and the spread of the returns; None where nothing varies."""
    used = columns[:, columns.std(axis=0) > 0][:, :MOST_TAUGHT]
    if not used.shape[1] or not np.isfinite(used).all():
        return None
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], used.shape[1])
    line = np.clip((used - used.mean(axis=0)) / used.std(axis=0), -3.0, 3.0) @ signs
    if not line.std() > 0:
        return None
    taught: Array = returns.mean() + (line - line.mean()) / line.std() * returns.std()
    return taught
