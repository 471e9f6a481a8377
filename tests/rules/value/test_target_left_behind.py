from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

GROWS = np.append([0.0], 2.5 + np.sqrt(np.linspace(0, 2, 99)))
HARD = {"target_update_interval": 2500}


def of(distance, returns, config=None):
    return run_of({"value.target_distance": distance, "reward.episode_return": returns}, config)


def sick():
    return [of(GROWS, rising(20, 30), HARD), of(GROWS, noisy(10, 1), HARD)]


def healthy():
    saws = np.tile([0.0, 0.1, 0.17, 0.21], 25)
    return [
        of(saws, rising(20, 200), HARD),
        of(
            np.append(rising(0.0, 2.0, 0.05, points=50), noisy(2.0, 0.05, points=50)), noisy(10, 1), HARD
        ),  # a soft update follows at some distance
        of(GROWS, rising(20, 200)),
        of(GROWS, rising(20, 200), {"target_update_interval": 150_000}),
        of(GROWS, rising(20, 200), {**HARD, "train_freq": 64}),  # counted in updates
        of(ramp(3.0, 0.5), noisy(10, 1)),
    ]
