from __future__ import annotations

import numpy as np
import pytest

from tests.curves import noisy, rising, run_of
from weaklink.base.finding import Level
from weaklink.judge.rules.returns.target_scale import target_scale

BLOWING_UP = np.exp(np.linspace(0, 12, 100))


def sick():
    return [
        run_of({"returns.target_mean": BLOWING_UP, "reward.episode_return": noisy(20, 2)}),
        run_of({"returns.target_min": -BLOWING_UP, "reward.max": np.ones(100), "reward.min": -np.ones(100)}),
        run_of({"returns.target_mean": BLOWING_UP}),
    ]


def healthy():
    return [
        run_of({"returns.target_mean": rising(0, 6), "reward.episode_return": rising(0, 20)}),
        run_of({"returns.target_mean": noisy(-3, 0.2), "returns.target_min": noisy(-8, 0.3)}),
    ]


@pytest.mark.parametrize(
    "curves",
    [
        {"returns.target_mean": rising(10, 69), "reward.episode_return": rising(20, 480)},  # CartPole
        {"returns.target_mean": noisy(-51, 2), "reward.episode_return": rising(-500, -90)},  # Acrobot
        {"returns.target_mean": rising(0.01, 400), "reward.episode_return": rising(0, 900)},  # values that start at 0
        {"returns.target_mean": rising(0.01, 900)},  # settles, and nothing to compare with
    ],
)
def test_size_alone_is_worth_knowing(curves):
    assert target_scale.rule.ask(run_of(curves)).level is Level.INFO


def test_a_blow_up_is_a_warning():
    assert {target_scale.rule.ask(run).level for run in sick()} == {Level.WARN}
