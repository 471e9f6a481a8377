from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

STEPS = 2048.0 * 100


def sick():
    stopped = {"data.buffer_size": np.minimum(np.linspace(300, STEPS, 100), 600.0)}
    return [
        run_of({"data.sample_age": np.linspace(2048, STEPS, 100) - 200, "reward.episode_return": noisy(-9, 0.3)}),
        # it takes nothing more, and something was learned from the first data
        run_of({**stopped, "reward.episode_return": rising(20, 140)}, {"algo": "dqn", "buffer_size": 20_000}),
    ]


def healthy():
    return [
        # drawn evenly from everything so far
        run_of({"data.sample_age": np.linspace(1024, STEPS / 2, 100), "reward.episode_return": noisy(-9, 0.3)}),
        # a buffer that is full
        run_of({"data.sample_age": np.minimum(np.linspace(1024, STEPS, 100), 5000.0)}),
        run_of({"data.sample_age": np.linspace(2048, STEPS, 100) - 200, "reward.episode_return": rising(-9, 9)}),
        # full, still filling, given whole (offline), and a capacity that nobody says
        run_of({"data.buffer_size": np.minimum(np.linspace(300, STEPS, 100), 20_000.0)}, {"buffer_size": 20_000}),
        run_of({"data.buffer_size": np.linspace(300, STEPS, 100)}, {"buffer_size": 1_000_000}),
        run_of({"data.buffer_size": np.full(100, 50_000.0)}, {"buffer_size": 2_000_000}),
        run_of({"data.buffer_size": np.minimum(np.linspace(300, STEPS, 100), 600.0)}),
    ]
