from __future__ import annotations

import numpy as np

from tests.curves import noise, noisy, rising, run_of


def sick():
    waves = 250 + 200 * np.sin(np.linspace(0, 18 * np.pi, 400)) + noise(10, points=400)
    return run_of({"reward.episode_return": waves})


def healthy():
    # pure noise of whatever size, a noisy learner, one dip
    dip = rising(20, 400, points=300)
    dip[150:180] -= 200
    # short episodes of a batch are over first, and have less to be paid for
    teeth = np.tile(np.linspace(0.0, 0.4, 8), 50) + np.linspace(0.1, 0.15, 400) + noise(0.02, points=400)
    batches = run_of({"reward.episode_return": teeth, "optimizer.updates": np.repeat(np.arange(50.0), 8)})
    return [
        batches,
        run_of({"reward.episode_return": noisy(150, 80, points=400)}),
        run_of({"reward.episode_return": rising(20, 400, spread=60, points=400)}),
        run_of({"reward.episode_return": dip}),
    ]
