from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

AT_ONCE = np.fromstring(
    "11.3 18.3 18.3 18.5 20.6 20.0 22.5 22.5 21.2 20.6 22.1 24.4 "
    "19.5 20.3 23.3 21.5 24.3 22.7 21.8 22.6 21.6 20.0 23.7 24.3",
    sep=" ",
)


def sick():
    return [
        run_of({"reward.mean": rising(0.2, 0.7), "reward.component.correctness": np.abs(noisy(0.002, 0.001))}),
        run_of({"reward.episode_return": rising(10, 200), "evaluation.success_rate": np.clip(noisy(0.1, 0.02), 0, 1)}),
        run_of({"reward.mean": rising(0.2, 0.7), "evaluation.score": ramp(0.45, 0.3, 0.01)}),
        # won and lost within the first updates
        run_of({"reward.episode_return": AT_ONCE, "task.success_rate": np.append([0.27], np.zeros(23))}),
    ]


def healthy():
    # both rise; the true measure is at its ceiling; the reward does not rise
    return [
        run_of({"reward.mean": rising(0.2, 0.7), "evaluation.score": rising(0.3, 0.55)}),
        run_of({"reward.mean": rising(0.8, 0.95), "evaluation.score": noisy(0.97, 0.005)}),
        # success comes later than the reward
        run_of({"reward.episode_return": AT_ONCE, "task.success_rate": np.zeros(24)}),
        run_of({"reward.mean": noisy(0.3, 0.02), "evaluation.score": noisy(0.3, 0.02)}),
    ]
