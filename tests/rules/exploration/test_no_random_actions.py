from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of


def sick():
    first = np.append([-0.005], np.zeros(99))
    return [
        run_of({"exploration.epsilon": np.zeros(100), "reward.episode_return": np.zeros(100)}),
        # a bump at first, and never again
        run_of({"exploration.epsilon": np.zeros(100), "reward.episode_return": first}),
    ]


def healthy():
    return [
        run_of({"exploration.epsilon": ramp(1.0, 0.05), "reward.episode_return": noisy(20, 1)}),
        # values that begin high explore by themselves
        run_of({"exploration.epsilon": np.zeros(100), "reward.episode_return": rising(0, 1)}),
        run_of({"exploration.epsilon": np.full(100, 0.05), "reward.episode_return": np.zeros(100)}),
    ]
