from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of, step_change


def made(mean, std):
    return run_of({"observation.mean": mean, "observation.std": std})


def sick():
    late = np.r_[noisy(0.0, 0.02, points=40), np.linspace(0.0, -14.0, 60)]
    return [made(ramp(0.0, 10.0, 0.05), noisy(0.4, 0.02)), made(late, noisy(0.3, 0.02))]


def healthy():
    return [
        made(noisy(0.0, 0.05), noisy(1.0, 0.05)),
        # a better policy sees other states
        made(ramp(0.0, 2.0, 0.05), noisy(0.8, 0.05)),
        # a position without bounds, of which the spread grows as well
        made(ramp(0.0, 50.0, 0.5), ramp(1.0, 30.0, 0.5)),
        # another stage of the task, once
        made(step_change(0.0, 12.0, 0.5, 0.05), noisy(0.8, 0.05)),
        # constants are another rule's
        made(ramp(0.0, 10.0, 0.05), [0.0] * 100),
    ]
