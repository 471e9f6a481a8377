from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def sick():
    collapsed = np.concatenate([np.round(noisy(60, 9, points=40)), np.full(60, 9.0)])
    return [
        run_of({"task.episode_length": np.full(100, 7.0)}),
        run_of({"task.episode_length": np.full(100, 7.0), "task.episode_length_std": np.zeros(100)}),
        run_of({"task.episode_length": collapsed, "reward.episode_return": noisy(9, 1)}),
    ]


def healthy():
    shortest_way = np.concatenate([np.round(noisy(60, 9, points=40)), np.full(60, 13.0)])
    return [
        run_of({"task.episode_length": np.full(100, 200.0)}),  # Pendulum
        run_of({"task.episode_length": np.full(100, 1000.0)}),  # HalfCheetah
        run_of({"task.episode_length": np.full(100, 37.0)}, {"max_episode_steps": 37}),
        run_of({"task.episode_length": np.minimum(np.round(rising(20, 700)), 500)}),  # CartPole
        run_of({"task.episode_length": shortest_way, "reward.episode_return": rising(-60, -13)}),
        run_of({"task.episode_length": np.full(100, 7.0), "task.episode_length_std": noisy(2, 0.1)}),
        run_of({"task.episode_length": noisy(88, 5)}),
    ]
