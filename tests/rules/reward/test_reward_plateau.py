from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of


def sick():
    return run_of({"reward.episode_return": np.concatenate((ramp(0, 100, 2, points=30), noisy(100, 2, points=70)))})


def healthy():
    solved = np.concatenate((ramp(20, 495, 5, points=30), noisy(495, 5, points=70)))
    return [
        run_of({"reward.episode_return": ramp(0, 100, 2)}),
        run_of({"reward.episode_return": solved}, {"env": "CartPole-v1"}),
        run_of({"reward.episode_return": rising(0, 100)[:30]}),
    ]
