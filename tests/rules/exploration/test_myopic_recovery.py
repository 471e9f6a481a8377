from __future__ import annotations

import numpy as np

from tests.curves import noise, noisy, ramp, run_of

DIP = np.concatenate([np.linspace(1.0, 0.2, 15), np.linspace(0.2, 0.85, 35), np.full(50, 0.85)])


def sick():
    return [
        run_of({"exploration.entropy": DIP + noise(0.01)}),
        run_of({"exploration.relative_entropy": DIP + noise(0.02)}),
    ]


def healthy():
    return [
        run_of({"exploration.entropy": ramp(1.0, 0.3, 0.02)}),
        run_of({"exploration.entropy": noisy(0.9, 0.05)}),
        run_of({"exploration.entropy": ramp(0.3, 1.0, 0.02)}),  # rises from the start: another illness
        run_of({"exploration.entropy": DIP[::-1] + noise(0.01)}),  # a late minimum
        run_of({"exploration.entropy": 0.9 + 0.1 * DIP + noise(0.01)}),  # a small one
    ]
