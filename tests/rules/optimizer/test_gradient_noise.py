from __future__ import annotations

import numpy as np

from tests.curves import POINTS, noisy, run_of
from weaklink.base.finding import CannotTell
from weaklink.judge.rules.optimizer.gradient_noise import gradient_noise


def scattered(scale: float) -> np.ndarray:
    return scale * np.exp(np.random.default_rng(0).normal(0, 1, POINTS))


def sick():
    return [
        run_of({"optimizer.gradient_noise_scale": scattered(20_000)}, {"batch_size": 64}),
        run_of({"optimizer.gradient_noise_scale": scattered(20)}, {"batch_size": 8192}),
    ]


def healthy():
    return [
        run_of({"optimizer.gradient_noise_scale": scattered(300)}, {"batch_size": 64}),
        run_of({"optimizer.gradient_noise_scale": scattered(20)}, {"batch_size": 64}),
        # an estimate that is negative half of the time
        run_of({"optimizer.gradient_noise_scale": noisy(0, 500)}, {"batch_size": 256}),
    ]


def test_cannot_tell_without_a_batch_size():
    assert isinstance(gradient_noise.rule.ask(run_of({"optimizer.gradient_noise_scale": scattered(9)})), CannotTell)
