from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.observation.scale_in_training import scale_in_training

FLAT = noisy(20, 1.0)


def sick():
    return [
        run_of({"observation.mean": noisy(291_000, 500), "reward.episode_return": FLAT}),
        run_of({"observation.std": np.zeros(100), "reward.episode_return": FLAT}),
        run_of({"observation.non_finite": np.repeat([0.0, 3.0], 50), "reward.episode_return": rising(20, 300)}),
    ]


def healthy():
    return [
        run_of({"observation.mean": noisy(0, 0.1), "observation.std": noisy(1, 0.1), "reward.episode_return": FLAT}),
        # pixels
        run_of({"observation.mean": noisy(110, 5), "observation.max": np.full(100, 255.0)}),
        # what is logged is not what the policy is given
        run_of({"observation.mean": noisy(291_000, 500), "reward.episode_return": rising(20, 300)}),
        run_of({"observation.non_finite": np.zeros(100), "observation.std": noisy(1, 0.1)}),
    ]


def test_what_is_no_number_is_an_error():
    assert [scale_in_training.rule.ask(run).level for run in sick()] == [Level.WARN, Level.WARN, Level.ERROR]
