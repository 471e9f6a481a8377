from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of


def sick():
    return run_of(
        {"exploration.entropy": noisy(1.384, 0.001), "reward.episode_return": noisy(20, 2)},
        {"total_timesteps": 204_800},
    )


def healthy():
    # Acrobot: near uniform for long, then it takes off; early in the budget; continuous actions
    slow = np.concatenate((noisy(-500, 0.1, points=40), rising(-500, -90, points=60)))
    return [
        run_of({"exploration.entropy": ramp(1.098, 1.07, 0.001), "reward.episode_return": slow}),
        run_of(
            {"exploration.entropy": noisy(1.098, 0.0005), "reward.episode_return": noisy(-500, 0.1)},
            {"total_timesteps": 2_000_000},
        ),
        run_of(
            {
                "exploration.entropy": noisy(1.42, 0.001),
                "exploration.action_std": noisy(1.0, 0.01),
                "reward.episode_return": noisy(-900, 20),
            }
        ),
        run_of({"exploration.entropy": ramp(0.69, 0.3, 0.01), "reward.episode_return": noisy(20, 2)}),
    ]
