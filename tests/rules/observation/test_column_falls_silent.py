from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of


def of(*columns):
    return run_of({f"observation.std.{place}": np.abs(each) for place, each in enumerate(columns)})


def sick():
    dead = np.append(noisy(0.7, 0.1, points=55), np.abs(noisy(8e-4, 2e-4, points=45)))
    return [
        of(noisy(1, 0.1), noisy(0.9, 0.1, seed=1), dead),
        of(ramp(1, 0.6), np.append(np.full(30, 0.5), np.zeros(70))),
    ]


def healthy():
    both = np.append(noisy(0.7, 0.1, points=55), np.abs(noisy(8e-4, 2e-4, points=45)))
    return [
        of(noisy(1, 0.1), ramp(1.0, 0.01)),  # a policy that learns to hold still
        of(both, both),
        of(noisy(1, 0.1), np.zeros(100)),
        of(noisy(1, 0.1), np.append(np.full(95, 0.5), np.zeros(5))),
    ]
