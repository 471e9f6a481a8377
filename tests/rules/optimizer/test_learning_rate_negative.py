from __future__ import annotations

import numpy as np

from tests.curves import ramp, rising, run_of


def made(rate):
    return run_of({"optimizer.learning_rate": rate, "reward.episode_return": rising(20, 300)})


def sick():
    return [made(ramp(1e-3, -5e-4)), made(np.r_[np.linspace(1e-3, 0, 98), [-1.5e-4, -2e-4]])]


def healthy():
    rounded = np.linspace(1e-3, 0, 100)
    rounded[-3:] = -1e-19
    return [
        made(ramp(1e-3, 0.0)),
        made(rounded),
        # a rollout that goes on a little behind the end of the schedule
        made(np.r_[np.linspace(1e-3, 0, 97), [-1e-5, -2e-5, -3e-5]]),
        # one row behind the end of the schedule
        made(np.r_[np.linspace(1e-3, 0, 99), [-1e-5]]),
        # written with a minus sign by an optimizer that climbs
        made([-1e-3] * 100),
    ]
