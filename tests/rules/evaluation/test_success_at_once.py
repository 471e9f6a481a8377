from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def sick():
    return [
        run_of({"evaluation.success_rate": np.ones(30), "task.success_rate": rising(0.16, 0.92)}),
        run_of({"evaluation.success_rate": np.full(100, 100.0), "task.success_rate": 100 * rising(0.1, 0.9)}),
    ]


def healthy():
    return [
        run_of({"evaluation.success_rate": np.clip(rising(0.2, 1.0), 0, 1), "task.success_rate": rising(0.16, 0.92)}),
        # an easy task, in which exploration alone fails now and then
        run_of({"evaluation.success_rate": np.ones(30), "task.success_rate": rising(0.7, 0.95)}),
        # nothing is learned: who is right nobody says
        run_of({"evaluation.success_rate": np.ones(30), "task.success_rate": np.clip(noisy(0.2, 0.03), 0, 1)}),
    ]
