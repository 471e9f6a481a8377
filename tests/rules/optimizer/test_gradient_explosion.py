from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change


def sick():
    fallen = np.append(rising(20, 400, points=50), ramp(400, 15, 8, points=50))
    return [
        run_of(
            {
                "optimizer.gradient_norm": step_change(2.0, 3e5, at=0.3, spread=0.1),
                "reward.episode_return": noisy(20, 2),
            }
        ),
        run_of(
            {"optimizer.gradient_norm": step_change(0.5, 4000, at=0.5, spread=0.05), "reward.episode_return": fallen}
        ),
    ]


def healthy():
    spike = noisy(1.0, 0.1)
    spike[50] = 1e6
    return [
        run_of({"optimizer.gradient_norm": noisy(1.0, 0.1), "reward.episode_return": noisy(20, 2)}),
        run_of({"optimizer.gradient_norm": spike, "reward.episode_return": rising(20, 400)}),
        run_of({"optimizer.gradient_norm": ramp(0.5, 4.0, 0.1)}),
    ]
