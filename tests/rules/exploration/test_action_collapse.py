from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of, step_change

COSTS_LESS = {"exploration.action_std": step_change(0.6, 0.001, at=0.4), "reward.episode_return": rising(-40, -28)}


def sick():
    return [
        run_of(
            {"exploration.action_std_min": step_change(0.6, 0.002, at=0.2), "reward.episode_return": noisy(-900, 20)}
        ),
        # it loses less, and never gets there
        run_of({**COSTS_LESS, "task.success_rate": np.abs(noisy(0.03, 0.01))}),
    ]


def healthy():
    return [
        run_of(
            {"exploration.action_std": rising(1.0, 0.005, spread=0.0), "reward.episode_return": rising(-1200, -150)}
        ),
        run_of({"exploration.action_std_min": noisy(0.3, 0.01), "reward.episode_return": noisy(-900, 20)}),
        run_of({**COSTS_LESS, "task.success_rate": rising(0.05, 0.9)}),
    ]
