from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.exploration.entropy_oscillating import entropy_oscillating


def waves(count: float, low: float, high: float, spread: float = 0.01) -> np.ndarray:
    curve = 0.5 - 0.5 * np.cos(2 * np.pi * count * np.linspace(0, 1, 100))
    return low + (high - low) * curve + noisy(0, spread)


def sick():
    quiet_then_wild = np.concatenate([noisy(1.0, 0.01, points=25), waves(8, 0.1, 1.0)[:75]])
    return [
        run_of({"exploration.entropy": waves(8, 0.05, 0.65), "reward.episode_return": noisy(20, 2)}),
        run_of({"exploration.entropy": quiet_then_wild, "reward.episode_return": ramp(60, 20, 2)}),
    ]


def healthy():
    return [
        run_of({"exploration.entropy": ramp(0.69, 0.3, 0.02), "reward.episode_return": noisy(20, 2)}),
        # A2C logs single small batches
        run_of({"exploration.entropy": noisy(0.5, 0.1), "reward.episode_return": noisy(20, 2)}),
        run_of({"exploration.entropy": waves(8, 0.05, 0.65), "reward.episode_return": rising(20, 400)}),
        run_of({"exploration.entropy": waves(8, 1.07, 1.09), "reward.episode_return": noisy(-500, 0.1)}),
        run_of({"exploration.entropy": waves(1, 0.1, 1.0), "reward.episode_return": noisy(20, 2)}),
    ]


def test_cannot_tell_without_a_return():
    assert isinstance(entropy_oscillating.rule.ask(run_of({"exploration.entropy": waves(8, 0, 1)})), CannotTell)
