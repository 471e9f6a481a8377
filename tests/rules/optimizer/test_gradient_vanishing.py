from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

CRITIC = {
    "optimizer.gradient_norm": noisy(0.3, 0.05),
    "value.loss": rising(90, 11),
    "reward.episode_return": rising(20, 400),
}


def sick():
    return [
        run_of({"optimizer.gradient_norm": np.full(100, 1e-9), "reward.episode_return": noisy(20, 2)}),
        run_of(
            {
                "optimizer.gradient_norm": np.zeros(100),
                "reward.mean": noisy(0.3, 0.02),
                "reward.group_std": noisy(0.4, 0.02),
                "task.completion_length": noisy(200, 9),
            }
        ),
        # an actor that learns without its critic, which nothing reaches
        run_of({**CRITIC, "optimizer.critic_gradient_norm": np.zeros(100)}),
    ]


def healthy():
    # a learner with small gradients that learns; groups of completions whose rewards are all equal
    return [
        run_of({**CRITIC, "optimizer.critic_gradient_norm": noisy(0.3, 0.05)}),
        # nothing is left to explain, and a critic that begins later
        run_of({**CRITIC, "optimizer.critic_gradient_norm": np.zeros(100), "value.loss": np.zeros(100)}),
        run_of({**CRITIC, "optimizer.critic_gradient_norm": np.repeat([0.0, 0.2], 50)}),
        run_of({"optimizer.gradient_norm": noisy(0.3, 0.05), "reward.episode_return": noisy(20, 2)}),
        run_of({"optimizer.gradient_norm": np.full(100, 1e-8), "reward.episode_return": rising(20, 400)}),
        run_of(
            {
                "optimizer.gradient_norm": np.zeros(100),
                "reward.mean": np.zeros(100),
                "reward.group_std": np.zeros(100),
                "task.completion_length": noisy(200, 9),
            }
        ),
    ]
