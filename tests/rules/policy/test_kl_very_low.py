from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of


def sick():
    flat = noisy(20, 2)
    return [
        run_of({"policy.kl": np.abs(noisy(2e-5, 1e-5)), "reward.episode_return": flat}),
        run_of({"policy.kl": np.abs(noisy(5e-4, 1e-4)), "reward.episode_return": flat}, {"target_kl": 0.03}),
    ]


def healthy():
    flat = noisy(20, 2)
    annealed = {
        "policy.kl": np.maximum(ramp(0.001, -0.0006, 1e-5), 0),
        "optimizer.learning_rate": np.maximum(ramp(3e-4, -2e-4), 0),
    }
    return [
        run_of({"policy.kl": np.abs(noisy(0.008, 0.002)), "reward.episode_return": flat}),
        run_of({"policy.kl": np.abs(noisy(2e-5, 1e-5)), "reward.episode_return": rising(20, 400)}),
        run_of({**annealed, "reward.episode_return": flat}),
        # one gradient step per batch
        run_of({"policy.kl": np.zeros(100), "reward.mean": noisy(0.4, 0.02)}, {"algo": "grpo", "num_iterations": 1}),
        # a policy that has no entropy left cannot move
        run_of({"policy.kl": np.zeros(100), "exploration.entropy": np.zeros(100), "reward.episode_return": flat}),
    ]
