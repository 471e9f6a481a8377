from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

SOME = np.clip(noisy(0.12, 0.03), 0, 1)
TEXTS = {"task.completion_length": noisy(200, 10)}


def sick():
    return [
        run_of({"reward.mean": np.zeros(100), "reward.group_std": np.zeros(100), "task.success_rate": SOME, **TEXTS}),
        run_of({"reward.episode_return": np.full(100, -1.0), "task.success_rate": SOME}),
        run_of({"reward.episode_return": np.zeros(100), "policy.loss": np.zeros(100), "task.success_rate": SOME}),
    ]


def healthy():
    return [
        run_of({"reward.episode_return": rising(0.1, 0.9), "task.success_rate": rising(0.1, 0.9)}),
        # nobody succeeds, and nobody is paid
        run_of(
            {"reward.episode_return": np.zeros(100), "policy.loss": np.zeros(100), "task.success_rate": np.zeros(100)}
        ),
        # a cost of each step says nothing of an episode
        run_of({"reward.mean": np.full(100, -1.0), "task.success_rate": rising(0.1, 0.9)}),
        # rewards that are centred before they are logged
        run_of({"reward.mean": np.zeros(100), "policy.loss": noisy(0.1, 0.01), "task.success_rate": SOME, **TEXTS}),
    ]
