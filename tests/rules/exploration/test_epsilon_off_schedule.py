from __future__ import annotations

import numpy as np

from tests.curves import POINTS, STEPS_PER_POINT, run_of

TOTAL = POINTS * STEPS_PER_POINT
CONFIG = {"eps_start": 1.0, "eps_end": 0.05, "exploration_fraction": 0.5, "total_timesteps": TOTAL}
LINE = np.maximum(np.linspace(1.0, -0.9, 100), 0.05)


def made(epsilon, **config):
    return run_of({"exploration.epsilon": epsilon}, {**CONFIG, **config})


def sick():
    return [
        made([1.0] * 100),
        made([0.0] * 100),
        made(np.r_[[0.6, 0.2], [0.05] * 98]),
        made(np.linspace(1.0, 0.9, 100)),
    ]


def healthy():
    return [
        made(LINE),
        # an exponential that takes as long
        made(np.maximum(np.exp(-np.linspace(0, 6, 100)), 0.05)),
        # steps down in four stages
        made(np.repeat([1.0, 0.6, 0.3, 0.05], 25)),
        # a run that was stopped early, and one whose budget counts something else
        made([1.0] * 100, total_timesteps=100 * TOTAL),
        made([0.05] * 100, total_timesteps=TOTAL // 10),
        # a schedule that was meant to end at once, and one that is off
        made([0.05] * 100, exploration_fraction=0.005),
        made([0.05] * 100, eps_start=0.05),
    ]
