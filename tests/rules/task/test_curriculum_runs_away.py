from __future__ import annotations

import numpy as np

from tests.curves import noise, ramp, run_of

PART = np.linspace(0, 1, 100)


def made(difficulty, success, name="task.success_rate"):
    return run_of({"task.difficulty": difficulty, name: np.clip(success + noise(0.02), 0, 1)})


LOST = np.interp(PART, [0, 0.2, 0.5, 1.0], [0.2, 1.0, 1.0, 0.3])


def sick():
    return [made(ramp(0.1, 2.7), LOST), made(ramp(0.1, 2.7), LOST, "evaluation.success_rate")]


def healthy():
    return [
        # it waits for success
        made(np.minimum(ramp(0.1, 2.0), 1.0), np.interp(PART, [0, 0.2, 1.0], [0.2, 1.0, 1.0])),
        # success dips with each stage and comes back
        made(np.repeat([1, 2, 3, 4], 25), np.tile(np.interp(np.arange(25), [0, 15, 24], [0.3, 0.9, 0.9]), 4)),
        # harder tasks are solved less often, as they should be
        made(ramp(0.1, 2.7), np.interp(PART, [0, 0.2, 1.0], [0.2, 0.95, 0.7])),
        # success is lost, and the curriculum has long stood still
        made(np.minimum(ramp(0.1, 8.0), 1.0), LOST),
        # never solved at all
        made(ramp(0.1, 2.7), [0.1] * 100),
    ]
