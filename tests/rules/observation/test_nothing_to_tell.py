from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

FLAT = {"value.loss": noisy(40, 4), "reward.episode_return": noisy(20, 1.0)}


def sick():
    rounding = np.where(np.arange(100) % 3, 0.0, -1.2e-7)
    return [run_of({**FLAT, "value.explained_variance": rounding})]


def healthy():
    return [
        # an untrained critic is off by something
        run_of({**FLAT, "value.explained_variance": noisy(0.0, 0.01)}),
        # rewards that never differ leave nothing to explain
        run_of({**FLAT, "value.explained_variance": np.zeros(100), "value.loss": np.full(100, 1e-9)}),
        run_of({**FLAT, "value.explained_variance": np.zeros(100), "reward.episode_return": rising(20, 300)}),
        run_of({**FLAT, "value.explained_variance": np.zeros(100), "reward.episode_return": np.zeros(100)}),
    ]
