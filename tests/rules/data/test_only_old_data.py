from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

STEPS = 2048.0 * 100


def sick():
    return [run_of({"data.sample_age": np.linspace(2048, STEPS, 100) - 200, "reward.episode_return": noisy(-9, 0.3)})]


def healthy():
    return [
        # drawn evenly from everything so far
        run_of({"data.sample_age": np.linspace(1024, STEPS / 2, 100), "reward.episode_return": noisy(-9, 0.3)}),
        # a buffer that is full
        run_of({"data.sample_age": np.minimum(np.linspace(1024, STEPS, 100), 5000.0)}),
        run_of({"data.sample_age": np.linspace(2048, STEPS, 100) - 200, "reward.episode_return": rising(-9, 9)}),
    ]
