from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def of(rate, errors, returns, **others):
    curves = {"optimizer.learning_rate": np.full(100, rate), "value.td_error": errors, "reward.episode_return": returns}
    return run_of({**curves, **others})


def sick():
    return [of(1.0, np.abs(noisy(0.05, 0.03)), np.clip(noisy(0.03, 0.04), 0, 1))]


def healthy():
    poor, lasting = np.clip(noisy(0.03, 0.04), 0, 1), np.abs(noisy(0.05, 0.03))
    return [
        of(0.1, lasting, poor),
        of(1.0, np.append(np.abs(noisy(0.05, 0.03, points=50)), np.zeros(50)), np.ones(100)),  # always the same answer
        of(1.0, lasting, rising(0, 1)),
        of(1.0, lasting, poor, **{"value.loss": lasting}),  # no table
    ]
