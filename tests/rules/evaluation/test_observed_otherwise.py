from __future__ import annotations

import numpy as np

from tests.curves import noisy, run_of


def of(mean, spread, tested_mean, tested_spread):
    return run_of(
        {
            "observation.mean": mean,
            "observation.std": spread,
            "evaluation.observation_mean": tested_mean,
            "evaluation.observation_std": tested_spread,
        }
    )


def sick():
    mean, spread = noisy(0, 0.1), np.abs(noisy(1, 0.1))
    return [
        of(mean, spread, noisy(3000, 200, points=40), np.abs(noisy(2500, 200, points=40))),
        of(mean, spread, mean, spread / 50),
        of(mean, spread, mean + 30, spread),
    ]


def healthy():
    mean, spread = noisy(0, 0.1), np.abs(noisy(1, 0.1))
    return [
        of(mean, spread, mean, spread),
        of(mean, spread, mean + 2, 3 * spread),
        of(5000 + mean, spread, 5001 + mean, spread),
    ]
