from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of


def make(returns, lengths=None, **others):
    given = {
        "exploration.entropy": noisy(0.5, 0.02),
        "policy.loss": noisy(0, 0.01),
        "value.loss": noisy(20, 3),
        **others,
    }
    return run_of(
        {"reward.episode_return": returns, "task.episode_length": returns if lengths is None else lengths, **given}
    )


def repeat(values, at=30):
    """Values that are never updated again from a point on."""
    return np.where(np.arange(len(values)) < at, values, values[at])


def swinging():
    return 150 + 100 * np.sin(np.arange(100) / 3)


def sick():
    return [make(repeat(swinging())), make(repeat(noisy(133.5, 40), 60), repeat(noisy(80, 20), 60))]


def healthy():
    return [
        make(rising(20, 500)),
        # every episode reaches the limit
        make(np.minimum(rising(20, 900), 500.0)),
        # the length is that of the task
        make(noisy(133.5, 40), np.full(100, 200.0)),
        # nothing is drawn by chance, and the environment has none
        make(repeat(swinging()), **{"exploration.entropy": np.zeros(100)}),
        # nothing moves at all: the log as a whole has stopped
        make(repeat(swinging()), **{"policy.loss": np.zeros(100), "value.loss": np.ones(100)}),
        # the last few points alone
        make(repeat(swinging(), 85)),
    ]
