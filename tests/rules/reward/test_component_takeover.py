from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def sick():
    g = rising(0.2, 0.6)
    return run_of({"reward.mean": g, "reward.component.g": g, "reward.component.f": np.abs(noisy(0.002, 0.001))})


def healthy():
    # the component that pays is the outcome; two components rise; the reward does not rise
    right = rising(0.2, 0.6)
    return [
        run_of(
            {"reward.mean": right, "reward.component.correctness": right, "reward.component.soft_format": np.zeros(100)}
        ),
        run_of(
            {"reward.mean": right + 0.2, "reward.component.a": right, "reward.component.b": rising(0.1, 0.3, seed=2)}
        ),
        run_of(
            {
                "reward.mean": noisy(0.2, 0.02),
                "reward.component.g": noisy(0.2, 0.02),
                "reward.component.f": np.zeros(100),
            }
        ),
    ]
