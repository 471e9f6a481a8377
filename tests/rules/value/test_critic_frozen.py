from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

SAC = {"reward.episode_return": noisy(-1200, 40), "task.episode_length": np.full(100, 200.0)}


def sick():
    return [run_of({**SAC, "value.q_mean": noisy(-0.02, 0.02), "value.q_loss": noisy(90, 3)})]


def healthy():
    return [
        run_of({**SAC, "value.q_mean": ramp(0, -300), "value.q_loss": noisy(20, 2)}),
        # rewards that cancel out: a loss that falls
        run_of({**SAC, "value.q_mean": noisy(0.0, 0.1), "value.q_loss": rising(90, 1)}),
        run_of(
            {
                **SAC,
                "value.q_mean": noisy(0.0, 0.1),
                "value.q_loss": noisy(90, 3),
                "reward.episode_return": rising(-1200, -150),
            }
        ),
    ]
