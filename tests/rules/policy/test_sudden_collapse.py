from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of, step_change


def _spike_at(curve, at, value):
    spiked = np.array(curve)
    spiked[at : at + 2] = value
    return spiked


def sick():
    fallen = np.concatenate((rising(20, 400, points=60), noisy(15, 2, points=40)))
    return run_of(
        {
            "reward.episode_return": fallen,
            "exploration.entropy": step_change(0.5, 0.01, at=0.6, spread=0.01),
            "policy.kl": _spike_at(np.abs(noisy(0.01, 0.001)), 60, 3.0),
            "value.loss": _spike_at(noisy(20, 1), 60, 9000.0),
        }
    )


def healthy():
    # a slow decline, and a spike that harms nothing
    return [
        run_of(
            {
                "reward.episode_return": ramp(400, 50, 8),
                "exploration.entropy": ramp(0.6, 0.3, 0.01),
                "policy.kl": np.abs(noisy(0.01, 0.001)),
                "value.loss": noisy(20, 1),
            }
        ),
        run_of(
            {
                "reward.episode_return": rising(20, 400),
                "policy.kl": _spike_at(np.abs(noisy(0.01, 0.001)), 60, 3.0),
                "value.loss": _spike_at(noisy(20, 1), 60, 9000.0),
            }
        ),
    ]
