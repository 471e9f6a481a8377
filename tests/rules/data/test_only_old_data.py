from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of

STEPS = 2048.0 * 100
OLD = np.linspace(2048, STEPS, 100) - 200
FLAT = {"reward.episode_return": noisy(-9, 0.3)}
SET = {"algo": "dqn", "buffer_size": 20_000}


def filled(until, more=FLAT, **config):
    """A run whose buffer grows until it has so many transitions."""
    return run_of({"data.buffer_size": np.minimum(np.linspace(300, STEPS, 100), until), **more}, {**SET, **config})


def sick():
    return [
        run_of({"data.sample_age": OLD, **FLAT}),
        # always the same samples, whose mean reward is one number and some scatter
        run_of({"data.sample_age": OLD, **FLAT, "reward.mean": rising(-7.1, -7.0, 0.02)}),
        # it takes nothing more, and nothing, or something, was learned from the first data
        filled(600.0),
        filled(600.0, {"data.sample_age": OLD, "reward.episode_return": rising(20, 140)}),
    ]


def healthy():
    return [
        # drawn evenly from everything so far
        run_of({"data.sample_age": np.linspace(1024, STEPS / 2, 100), **FLAT}),
        # a buffer that is full
        run_of({"data.sample_age": np.minimum(np.linspace(1024, STEPS, 100), 5000.0)}),
        run_of({"data.sample_age": OLD, "reward.episode_return": rising(-9, 9)}),
        # full, still filling, given whole (offline), and a capacity that nobody says
        filled(20_000.0),
        filled(1e6, buffer_size=1_000_000),
        run_of({"data.buffer_size": np.full(100, 50_000.0), **FLAT}, {"buffer_size": 2_000_000}),
        filled(600.0, buffer_size=None),
        # the part of each environment; counted in episodes, by a learner that improves
        filled(2500.0, n_envs=8),
        filled(600.0, {"reward.episode_return": rising(20, 140)}),
    ]
