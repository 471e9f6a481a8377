from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of


def sick():
    return [
        run_of({"exploration.action_std": ramp(1.07, 1.9, 0.01), "reward.episode_return": ramp(0.63, 0.2, 0.03)}),
        run_of({"exploration.entropy": ramp(0.9, 2.0, 0.02), "reward.episode_return": ramp(0.1, -2.7, 0.2)}),
        run_of({"exploration.action_std": np.exp(ramp(0, 3.0, 0.01)), "reward.episode_return": rising(-1500, -1100)}),
    ]


def healthy():
    widened = np.concatenate((ramp(1.0, 1.6, 0.01, points=40), ramp(1.6, 0.7, 0.01, points=60)))
    return [
        run_of({"exploration.action_std": widened, "reward.episode_return": rising(0.2, 25)}),
        run_of({"exploration.action_std": ramp(1.0, 2.2, 0.01), "reward.episode_return": rising(0.2, 25)}),
        run_of({"exploration.entropy": noisy(1.4, 0.05), "reward.episode_return": ramp(50, 20, 2)}),
    ]
