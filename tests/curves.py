"""Curves to build evidence from: each returns values over a run of `POINTS` logged rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from weaklink.base.evidence.config import Config
from weaklink.base.evidence.run import Run
from weaklink.base.evidence.series import Provenance, Series

POINTS = 100
STEPS_PER_POINT = 2048


def noise(spread: float, seed: int = 0, points: int = POINTS) -> np.ndarray:
    return np.random.default_rng(seed).normal(0.0, spread, points)


def noisy(level: float, spread: float, seed: int = 0, points: int = POINTS) -> np.ndarray:
    return level + noise(spread, seed, points)


def rising(start: float, end: float, spread: float | None = None, seed: int = 0, points: int = POINTS) -> np.ndarray:
    """A learning curve: fast at first, then levelling out."""
    spread = 0.03 * abs(end - start) if spread is None else spread
    return start + (end - start) * (1 - np.exp(-4 * np.linspace(0, 1, points))) + noise(spread, seed, points)


def ramp(start: float, end: float, spread: float = 0.0, seed: int = 0, points: int = POINTS) -> np.ndarray:
    return np.linspace(start, end, points) + noise(spread, seed, points)


def step_change(
    before: float, after: float, at: float = 0.5, spread: float = 0.0, seed: int = 0, points: int = POINTS
) -> np.ndarray:
    values = np.where(np.linspace(0, 1, points) < at, before, after)
    return values + noise(spread, seed, points)


def run_of(curves: Mapping[str, ArrayLike], config: Mapping[str, Any] | None = None) -> Run:
    """A run that logged these curves, a row every 2,048 steps."""
    series = {}
    for name, values in curves.items():
        array = np.asarray(values, dtype=float)
        steps = STEPS_PER_POINT * np.arange(1, len(array) + 1)
        series[name] = Series.of(name, steps, array, provenance=Provenance(name, "env_steps"))
    return Run(name="made", series=series, config=Config.of(config or {}))
