from __future__ import annotations

import numpy as np

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.diagnosis.engine import diagnose


def sick():
    # a CartPole whose rewards are multiplied by 1000, as trainers log it that do and do not explain variance
    scaled = {"reward.episode_return": noisy(24_000, 2_000), "task.episode_length": noisy(24, 2)}
    return [
        run_of(scaled | {"value.explained_variance": np.abs(noisy(1e-7, 1e-8)), "value.loss": noisy(1e8, 1e6)}),
        run_of(scaled | {"value.loss": noisy(1e8, 1e6)}),
    ]


def healthy():
    # large returns that the critic follows; ordinary ones that it does not; a loss that falls, a return that rises
    length = {"task.episode_length": np.full(100, 200.0)}
    return [
        run_of(length | {"reward.episode_return": noisy(-250_000, 9_000), "value.loss": rising(1e9, 1e7)}),
        run_of(length | {"reward.episode_return": rising(-250_000, -40_000), "value.loss": noisy(1e8, 1e6)}),
        run_of(
            {
                "reward.episode_return": rising(300, 10_000),
                "task.episode_length": np.full(100, 1000.0),
                "value.explained_variance": rising(0.0, 0.9),
            }
        ),
        run_of(
            {
                "reward.episode_return": noisy(24, 2),
                "task.episode_length": noisy(24, 2),
                "value.explained_variance": np.abs(noisy(1e-4, 1e-5)),
            }
        ),
    ]


def test_rare_rewards_are_worth_knowing():
    run = run_of({"reward.nonzero_fraction": noisy(0.01, 0.001), "reward.episode_return": rising(0, 1)})
    finding = next(f for f in diagnose(run).findings if f.code == "REW307")
    assert finding.level is Level.INFO
