from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def of(share, limit=10.0):
    curves = {"observation.clipped_fraction": share, "reward.episode_return": rising(-4, 0)}
    return run_of({**curves, "observation.max": np.full(100, limit)})


def sick():
    return [of(np.abs(noisy(0.26, 0.02))), of(np.full(100, 0.98))]


def healthy():
    return [
        of(np.zeros(100)),
        of(np.abs(noisy(0.003, 0.001))),
        of(np.append(np.full(10, 0.4), np.zeros(90))),  # a normaliser that has seen little yet
        of(np.full(100, 0.12), 3.0),  # a narrow limit cuts more
    ]
