from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

LENGTH = rising(20, 60, 2)


def logged(reward, returns=LENGTH, lengths=LENGTH):
    return run_of({"reward.episode_return": returns, "task.episode_length": lengths, "reward.mean": reward})


def sick():
    return [
        logged(np.full(100, 1e4)),
        logged(ramp(-900, -180, 20), returns=ramp(-67, -13), lengths=np.full(100, 60.0)),
        logged(np.zeros(100)),
        run_of({"reward.episode_return": noisy(25, 2), "value.loss": noisy(8e9, 1e8)}),
    ]


def healthy():
    return [
        logged(np.ones(100)),
        logged(noisy(0.01, 0.001)),  # scaled down to where critics learn well
        logged(LENGTH),  # the mean of whole episodes under the name of a reward
        logged(noisy(0, 0.01), returns=noisy(0, 1)),  # what is won and lost adds up to nothing
        run_of({"reward.episode_return": noisy(25, 2), "value.loss": noisy(2048 * 80, 1e4)}),  # summed over a rollout
        # a task that pays at the goal alone, and is hardly ever solved
        logged(np.full(100, 0.001), returns=noisy(0.05, 0.01), lengths=noisy(50, 1)),
    ]
