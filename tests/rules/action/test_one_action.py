from __future__ import annotations

import numpy as np

from tests.curves import noisy, ramp, rising, run_of

FALLING = {"reward.episode_return": ramp(22, 9.5, 0.3)}
EPSILON = np.maximum(np.linspace(1.0, -1.0, 100), 0.05)
CARTPOLE = {"total_timesteps": 200_000}


def shares(first):
    return {"action.share.0": first, "action.share.1": 1.0 - first}


def sick():
    return [
        run_of({**FALLING, **shares(1.0 - EPSILON / 2), "exploration.epsilon": EPSILON}, CARTPOLE),
        run_of({**FALLING, **shares(ramp(0.5, 1.0) ** 0.01)}, CARTPOLE),
    ]


def healthy():
    return [
        run_of({**FALLING, **shares(noisy(0.5, 0.02))}, CARTPOLE),
        # mostly one of them
        run_of({**FALLING, **shares(noisy(0.9, 0.01))}, CARTPOLE),
        # one action is right
        run_of({"reward.episode_return": rising(0, 1), **shares(ramp(0.5, 1.0) ** 0.01)}, CARTPOLE),
        # a network that has hardly been trained
        run_of({**FALLING, **shares(np.ones(100))}, {"total_timesteps": 2_000_000}),
        # counts, and no shares
        run_of({**FALLING, **shares(noisy(400, 3))}, CARTPOLE),
    ]
