from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, run_of


def sick():
    return [
        run_of({"exploration.entropy": ramp(0.4, -2.0, 0.02), "policy.kl_reference": ramp(0.0, 0.3, 0.01)}),
        run_of({"exploration.relative_entropy": noisy(-0.6, 0.02)}),
    ]


def healthy():
    # differential entropy, tokens that are nearly certain, rounding
    return [
        run_of({"exploration.entropy": ramp(1.4, -3.0, 0.02), "exploration.action_std": ramp(1.0, 0.1)}),
        run_of({"exploration.entropy": np.abs(noisy(0.01, 0.005)), "policy.kl_reference": ramp(0.0, 0.3, 0.01)}),
        run_of({"exploration.relative_entropy": noisy(0.0, 0.001)}),
    ]
