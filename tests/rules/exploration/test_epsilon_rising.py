from __future__ import annotations

import numpy as np

from tests.curves import ramp, run_of, step_change


def sick():
    return [run_of({"exploration.epsilon": curve}) for curve in (ramp(0.05, 1.0), np.minimum(ramp(0.1, 1.5), 1.0))]


def healthy():
    phases = np.tile(np.linspace(1.0, 0.05, 25), 4)
    return [
        run_of({"exploration.epsilon": curve})
        for curve in (ramp(1.0, 0.05), np.full(100, 0.1), phases, step_change(0.05, 0.5), ramp(0.05, 0.2), ramp(0, 50))
    ]
