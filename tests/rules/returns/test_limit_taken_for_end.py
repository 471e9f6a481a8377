from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

LENGTH = np.full(100, 200.0)


def of(stored, config=None, **counts):
    curves = {
        "data.terminal_fraction": stored,
        "reward.episode_return": rising(-1500, -150),
        "task.episode_length": LENGTH,
    }
    return run_of({**curves, **counts}, config)


def counted(ended):
    return {"task.terminations": ended, "task.truncations": np.tile([0.0, 1.0], 50)}


def sick():
    share = np.abs(noisy(0.005, 0.001))
    return [of(share, {"env": "Pendulum-v1"}), of(share, **counted(np.zeros(100)))]


def healthy():
    share = np.abs(noisy(0.005, 0.001))
    return [
        of(np.zeros(100), {"env": "Pendulum-v1"}),
        of(share, **counted(np.where(np.arange(100) == 3, 1.0, 0.0))),
        # what is no end of an episode by its number
        of(np.abs(noisy(0.3, 0.01)), {"env": "Pendulum-v1"}),
    ]
