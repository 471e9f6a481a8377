from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

LOSS = np.abs(rising(2300, 20, 10)) + 5


def logged(advantages, loss=LOSS):
    return run_of({"returns.advantage_mean": advantages, "value.loss": loss})


def sick():
    return [logged(noisy(-80, 2)), logged(noisy(90, 2))]


def healthy():
    return [
        logged(noisy(0, 2)),
        logged(rising(-45, -2, 0.5)),  # the errors of a critic that learns
        logged(noisy(-1e-8, 1e-9)),  # normalised
        logged(noisy(9, 0.2), loss=noisy(90, 2)),  # a critic that learns nothing
        logged(noisy(9, 0.2), loss=noisy(8.5, 0.2)),  # the same, with a loss that is capped far away
    ]
