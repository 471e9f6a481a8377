from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

FLAT = {"reward.episode_return": noisy(-1200, 60)}


def limited(end, config=None, scatter=0.0):
    """Actions whose smallest and largest of each row are told, of a task that is learned."""
    ends = {"action.max": end + np.abs(noisy(0, scatter)), "action.min": -end - np.abs(noisy(0, scatter, seed=1))}
    return run_of({"reward.episode_return": rising(-1200, -700), **ends}, config or {"env_id": "Pendulum-v1"})


def sick():
    return [
        run_of(FLAT, {"action_scale": 0.1, "env_action_high": 2.0}),
        run_of(FLAT, {"env_id": "Pendulum-v1", "max_action": 0.2, "total_timesteps": 200_000}),
        limited(0.6),
        limited(3.0, {"action_high": 10.0}),
    ]


def healthy():
    return [
        run_of(FLAT, {"action_scale": 2.0, "env_action_high": 2.0}),
        run_of(FLAT, {"env_id": "Pendulum-v1", "max_action": 2.0}),
        # offsets of a robot's joints are small on purpose
        run_of({"reward.episode_return": rising(0, 20)}, {"action_scale": 0.1, "env_action_high": 2.0}),
        # it is early
        run_of(FLAT, {"action_scale": 0.1, "env_action_high": 2.0, "total_timesteps": 10_000_000}),
        run_of(FLAT, {"action_scale": 0.1}),
        limited(2.0),
        limited(0.6, scatter=0.2),
        limited(1.0),  # in units of the range
        limited(0.6, {"env_id": "Unknown-v0"}),
    ]
